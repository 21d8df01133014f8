// SPDX-License-Identifier: Apache-2.0
// AllGatherV and ReduceScatterV: every rank knows the counts of all.
#include <algorithm>

#include "api/hccl/checks.h"
#include "api/hccl/counts.h"
#include "api/hccl/entry.h"
#include "api/hccl/submit.h"
#include "base/device_memory.h"
#include "comm/count_arrays.h"
#include "comm/data_type.h"
#include "hccl/hccl.h"

using namespace belay;
using namespace belay::api;
using comm::Communicator;
using comm::Op;
using comm::Part;
using comm::Work;

namespace {

bool nothing(const std::vector<Part>& parts) {
  return std::ranges::all_of(parts, [](const Part& part) { return part.count == 0; });
}

Status check_own(uint64_t own, const std::vector<Part>& parts, uint32_t rank, const char* parameter,
                 const char* array) {
  if (own == parts[rank].count) return {};
  return {HCCL_E_PARA,
          formatted("{} is {}, but {}[{}] of this rank is {}", parameter, own, array, rank, parts[rank].count),
          "EI0003"};
}

Work new_work(Op op, const void* send, void* recv, uint64_t own, HcclDataType type, const std::vector<Part>& parts) {
  Work work;
  work.call.op = op;
  work.call.type = type;
  if (parts.size() == 1) work.call.count = own;
  work.element = comm::element_size(type);
  work.send = host_view(static_cast<const std::byte*>(send));
  work.recv = host_view(static_cast<std::byte*>(recv));
  return work;
}

}  // namespace

HcclResult HcclAllGatherV(void* sendBuf, uint64_t sendCount, void* recvBuf, const void* recvCounts,
                          const void* recvDispls, HcclDataType dataType, HcclComm comm, aclrtStream stream) {
  return hccl_entry(
      __func__,
      [&]() -> Status {
        TRY(given(stream, "stream"));
        TRY(given(comm, "comm"));
        TRY(given(recvCounts, "recvCounts"));
        TRY(given(recvDispls, "recvDispls"));
        if (sendCount > 0) TRY(given(sendBuf, "sendBuf"));
        TRY(check_count(sendCount, "sendCount"));
        TRY(check_movable(dataType));
        const Visit in = TRY(find_communicator(comm));
        const auto parts = TRY(read_parts(recvCounts, recvDispls, in->size(), "recvCounts"));
        if (nothing(parts)) return {};
        TRY(given(recvBuf, "recvBuf"));
        TRY(check_own(sendCount, parts, in->rank(), "sendCount", "recvCounts"));
        return submit(Operation{comm, stream, 0, true, [=](const Communicator& of) -> Result<Work> {
                                  const uint64_t reach = parts.size() == 1 ? sendCount : elements_in(parts);
                                  TRY(check_buffer(sendBuf, sendCount, dataType, "sendBuf", Use::Read));
                                  TRY(check_buffer(recvBuf, reach, dataType, "recvBuf", Use::Write));
                                  Work work = new_work(Op::AllGatherV, sendBuf, recvBuf, sendCount, dataType, parts);
                                  work.give.assign(of.size(), Part{0, sendCount});
                                  work.take = parts;
                                  work.call.arrays = comm::hash_of_arrays(work);
                                  return work;
                                }});
      },
      sendBuf, sendCount, recvBuf, recvCounts, recvDispls, dataType, comm, stream);
}

HcclResult HcclReduceScatterV(void* sendBuf, const void* sendCounts, const void* sendDispls, void* recvBuf,
                              uint64_t recvCount, HcclDataType dataType, HcclReduceOp op, HcclComm comm,
                              aclrtStream stream) {
  return hccl_entry(
      __func__,
      [&]() -> Status {
        TRY(given(stream, "stream"));
        TRY(given(comm, "comm"));
        TRY(given(sendCounts, "sendCounts"));
        TRY(given(sendDispls, "sendDispls"));
        if (recvCount > 0) TRY(given(recvBuf, "recvBuf"));
        TRY(check_count(recvCount, "recvCount"));
        TRY(check_reducible(dataType, op));
        const Visit in = TRY(find_communicator(comm));
        const auto parts = TRY(read_parts(sendCounts, sendDispls, in->size(), "sendCounts"));
        if (nothing(parts)) return {};
        TRY(given(sendBuf, "sendBuf"));
        TRY(check_own(recvCount, parts, in->rank(), "recvCount", "sendCounts"));
        return submit(Operation{comm, stream, 0, true, [=](const Communicator&) -> Result<Work> {
                                  const uint64_t reach = parts.size() == 1 ? recvCount : elements_in(parts);
                                  TRY(check_buffer(sendBuf, reach, dataType, "sendBuf", Use::Read));
                                  TRY(check_buffer(recvBuf, recvCount, dataType, "recvBuf", Use::Write));
                                  Work work =
                                      new_work(Op::ReduceScatterV, sendBuf, recvBuf, recvCount, dataType, parts);
                                  work.call.reduce = op;
                                  work.give = parts;
                                  work.call.arrays = comm::hash_of_arrays(work);
                                  return work;
                                }});
      },
      sendBuf, sendCounts, sendDispls, recvBuf, recvCount, dataType, op, comm, stream);
}
