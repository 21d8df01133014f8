// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <cstdlib>

#include "hccl/hccl.h"
#include "sides.h"

#define MUST(call)                                                           \
  do {                                                                       \
    if (const int code_ = (call)) {                                          \
      const char* text_ = aclGetRecentErrMsg();                              \
      std::printf("%s returned %d\n%s\n", #call, code_, text_ ? text_ : ""); \
      std::exit(1);                                                          \
    }                                                                        \
  } while (0)

namespace bench {

// The operations as a program calls them: all queued, then one synchronisation.
class HcclSide : public Side {
 public:
  HcclSide(uint32_t rank, uint32_t size, HcclComm comm, const Memory& memory)
      : Side("Belay"), rank_(rank), size_(size), comm_(comm), memory_(memory) {
    MUST(aclrtCreateStream(&stream_));
  }

  void run(Operation operation, size_t bytes, int times) override {
    for (int i = 0; i < times; ++i) queue(operation, bytes);
    MUST(aclrtSynchronizeStream(stream_));
  }

  // A rank's memory for all sides.
  static Memory allocate() {
    Memory memory;
    for (std::byte** one : {&memory.send, &memory.recv, &memory.room}) {
      MUST(aclrtMalloc(reinterpret_cast<void**>(one), kLargest, ACL_MEM_MALLOC_HUGE_FIRST));
      MUST(aclrtMemset(*one, kLargest, 0, kLargest));
    }
    return memory;
  }

 private:
  void queue(Operation operation, size_t bytes) {
    const size_t part = bytes / size_;
    switch (operation) {
      case Operation::AllReduce:
        MUST(
            HcclAllReduce(memory_.send, memory_.recv, bytes / 4, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, comm_, stream_));
        break;
      case Operation::AllGather:
        MUST(HcclAllGather(memory_.send, memory_.recv, part, HCCL_DATA_TYPE_INT8, comm_, stream_));
        break;
      case Operation::AlltoAll:
        MUST(HcclAlltoAll(memory_.send, part, HCCL_DATA_TYPE_INT8, memory_.recv, part, HCCL_DATA_TYPE_INT8, comm_,
                          stream_));
        break;
      case Operation::Send:
        for (const bool first : {true, false})
          if (first == (rank_ % 2 == 0))
            MUST(HcclSend(memory_.send, bytes, HCCL_DATA_TYPE_INT8, rank_ ^ 1, comm_, stream_));
          else
            MUST(HcclRecv(memory_.recv, bytes, HCCL_DATA_TYPE_INT8, rank_ ^ 1, comm_, stream_));
        break;
    }
  }

  const uint32_t rank_, size_;
  const HcclComm comm_;
  const Memory memory_;
  aclrtStream stream_ = nullptr;
};

}  // namespace bench
