// SPDX-License-Identifier: Apache-2.0
// The operations in which every rank gives the same count.
#include "api/hccl/checks.h"
#include "api/hccl/entry.h"
#include "api/hccl/submit.h"
#include "base/device_memory.h"
#include "comm/even_work.h"
#include "hccl/hccl.h"

using namespace belay;
using namespace belay::api;
using comm::Communicator;
using comm::Op;
using comm::Work;

namespace {

constexpr HcclReduceOp kNoReduce = HCCL_REDUCE_RESERVED;

// comm, stream and the buffers are there, and the count is possible.
Status check_given(HcclComm comm, aclrtStream stream,
                   std::initializer_list<std::pair<const void*, const char*>> buffers, uint64_t count,
                   const char* parameter) {
  TRY(given(comm, "comm"));
  TRY(given(stream, "stream"));
  for (const auto& [buffer, name] : buffers) TRY(given(buffer, name));
  return check_count(count, parameter);
}

Work work_of(const comm::Call& call, const void* send, void* recv, const Communicator& in) {
  return comm::even_work(call, host_view(send), host_view(recv), in.rank(), in.size());
}

}  // namespace

HcclResult HcclAllReduce(void* sendBuf, void* recvBuf, uint64_t count, HcclDataType dataType, HcclReduceOp op,
                         HcclComm comm, aclrtStream stream) {
  return hccl_entry(
      __func__,
      [&]() -> Status {
        if (count == 0) return {};
        TRY(check_given(comm, stream, {{sendBuf, "sendBuf"}, {recvBuf, "recvBuf"}}, count, "count"));
        return submit(Operation{comm, stream, count, false, [=](const Communicator& in) -> Result<Work> {
                                  TRY(check_reducible(dataType, op));
                                  TRY(check_buffer(sendBuf, count, dataType, "sendBuf", Use::Read));
                                  TRY(check_buffer(recvBuf, count, dataType, "recvBuf", Use::Write));
                                  return work_of({Op::AllReduce, dataType, op, 0, count, 0}, sendBuf, recvBuf, in);
                                }});
      },
      sendBuf, recvBuf, count, dataType, op, comm, stream);
}

HcclResult HcclReduce(void* sendBuf, void* recvBuf, uint64_t count, HcclDataType dataType, HcclReduceOp op,
                      uint32_t root, HcclComm comm, aclrtStream stream) {
  return hccl_entry(
      __func__,
      [&]() -> Status {
        if (count == 0) return {};
        TRY(check_given(comm, stream, {{sendBuf, "sendBuf"}, {recvBuf, "recvBuf"}}, count, "count"));
        return submit(Operation{comm, stream, count, false, [=](const Communicator& in) -> Result<Work> {
                                  TRY(check_reducible(dataType, op));
                                  TRY(check_rank(root, in, "root"));
                                  TRY(check_buffer(sendBuf, count, dataType, "sendBuf", Use::Read));
                                  if (in.rank() == root)
                                    TRY(check_buffer(recvBuf, count, dataType, "recvBuf", Use::Write));
                                  return work_of({Op::Reduce, dataType, op, root, count, 0}, sendBuf, recvBuf, in);
                                }});
      },
      sendBuf, recvBuf, count, dataType, op, root, comm, stream);
}

HcclResult HcclBroadcast(void* buf, uint64_t count, HcclDataType dataType, uint32_t root, HcclComm comm,
                         aclrtStream stream) {
  return hccl_entry(
      __func__,
      [&]() -> Status {
        if (count == 0) return {};
        TRY(check_given(comm, stream, {{buf, "buf"}}, count, "count"));
        return submit(Operation{comm, stream, count, false, [=](const Communicator& in) -> Result<Work> {
                                  TRY(check_movable(dataType));
                                  TRY(check_rank(root, in, "root"));
                                  const bool gives = in.rank() == root;
                                  TRY(check_buffer(buf, count, dataType, "buf", gives ? Use::Read : Use::Write));
                                  return work_of({Op::Broadcast, dataType, kNoReduce, root, count, 0}, buf, buf, in);
                                }});
      },
      buf, count, dataType, root, comm, stream);
}

HcclResult HcclReduceScatter(void* sendBuf, void* recvBuf, uint64_t recvCount, HcclDataType dataType, HcclReduceOp op,
                             HcclComm comm, aclrtStream stream) {
  return hccl_entry(
      __func__,
      [&]() -> Status {
        if (recvCount == 0) return {};
        TRY(check_given(comm, stream, {{sendBuf, "sendBuf"}, {recvBuf, "recvBuf"}}, recvCount, "recvCount"));
        return submit(
            Operation{comm, stream, recvCount, false, [=](const Communicator& in) -> Result<Work> {
                        TRY(check_reducible(dataType, op));
                        TRY(check_buffer(sendBuf, recvCount * in.size(), dataType, "sendBuf", Use::Read));
                        TRY(check_buffer(recvBuf, recvCount, dataType, "recvBuf", Use::Write));
                        return work_of({Op::ReduceScatter, dataType, op, 0, recvCount, 0}, sendBuf, recvBuf, in);
                      }});
      },
      sendBuf, recvBuf, recvCount, dataType, op, comm, stream);
}

HcclResult HcclAllGather(void* sendBuf, void* recvBuf, uint64_t sendCount, HcclDataType dataType, HcclComm comm,
                         aclrtStream stream) {
  return hccl_entry(
      __func__,
      [&]() -> Status {
        if (sendCount == 0) return {};
        TRY(check_given(comm, stream, {{sendBuf, "sendBuf"}, {recvBuf, "recvBuf"}}, sendCount, "sendCount"));
        return submit(
            Operation{comm, stream, sendCount, false, [=](const Communicator& in) -> Result<Work> {
                        TRY(check_movable(dataType));
                        TRY(check_buffer(sendBuf, sendCount, dataType, "sendBuf", Use::Read));
                        TRY(check_buffer(recvBuf, sendCount * in.size(), dataType, "recvBuf", Use::Write));
                        return work_of({Op::AllGather, dataType, kNoReduce, 0, sendCount, 0}, sendBuf, recvBuf, in);
                      }});
      },
      sendBuf, recvBuf, sendCount, dataType, comm, stream);
}

HcclResult HcclScatter(void* sendBuf, void* recvBuf, uint64_t recvCount, HcclDataType dataType, uint32_t root,
                       HcclComm comm, aclrtStream stream) {
  return hccl_entry(
      __func__,
      [&]() -> Status {
        if (recvCount == 0) return {};
        TRY(given(comm, "comm"));
        TRY(given(stream, "stream"));
        TRY(given(recvBuf, "recvBuf"));
        {
          const Visit in = TRY(find_communicator(comm));
          if (in->rank() == root) TRY(given(sendBuf, "sendBuf"));
        }
        TRY(check_count(recvCount, "recvCount"));
        return submit(
            Operation{comm, stream, recvCount, false, [=](const Communicator& in) -> Result<Work> {
                        TRY(check_movable(dataType));
                        TRY(check_rank(root, in, "root"));
                        const bool gives = in.rank() == root;
                        if (gives) TRY(check_buffer(sendBuf, recvCount * in.size(), dataType, "sendBuf", Use::Read));
                        TRY(check_buffer(recvBuf, recvCount, dataType, "recvBuf", Use::Write));
                        return work_of({Op::Scatter, dataType, kNoReduce, root, recvCount, 0}, sendBuf, recvBuf, in);
                      }});
      },
      sendBuf, recvBuf, recvCount, dataType, root, comm, stream);
}

HcclResult HcclBarrier(HcclComm comm, aclrtStream stream) {
  return hccl_entry(
      __func__,
      [&]() -> Status {
        TRY(given(comm, "comm"));
        TRY(given(stream, "stream"));
        return submit(Operation{comm, stream, 0, false, [](const Communicator&) -> Result<Work> { return Work{}; }});
      },
      comm, stream);
}
