// SPDX-License-Identifier: Apache-2.0
// The operations in which every rank gives something else to each rank.
#include <algorithm>

#include "api/hccl/checks.h"
#include "api/hccl/counts.h"
#include "api/hccl/entry.h"
#include "api/hccl/submit.h"
#include "base/device_memory.h"
#include "comm/count_arrays.h"
#include "comm/data_type.h"
#include "comm/even_work.h"
#include "hccl/hccl.h"

using namespace belay;
using namespace belay::api;
using comm::Communicator;
using comm::Op;
using comm::Part;
using comm::Work;

namespace {

Status check_different(const void* send, const void* recv) {
  if (send != recv || !send) return {};
  return {HCCL_E_PARA, "sendBuf and recvBuf are the same; this operation cannot work in place", "EI0003"};
}

Status check_same_type(HcclDataType send, HcclDataType recv) {
  if (send == recv) return {};
  return {HCCL_E_PARA,
          formatted("sendType is {} and recvType is {}; they must be equal", comm::name_of(send), comm::name_of(recv)),
          "EI0003"};
}

Result<Work> exchange_work(Op op, const void* send, const void* recv, HcclDataType type, std::vector<Part> give,
                           std::vector<Part> take) {
  TRY(check_movable(type));
  TRY(check_buffer(send, elements_in(give), type, "sendBuf", Use::Read));
  TRY(check_buffer(recv, elements_in(take), type, "recvBuf", Use::Write));
  Work work;
  work.call.op = op;
  work.call.type = type;
  work.element = comm::element_size(type);
  work.send = host_view(static_cast<const std::byte*>(send));
  work.recv = host_view(static_cast<std::byte*>(const_cast<void*>(recv)));
  work.give = std::move(give);
  work.take = std::move(take);
  return work;
}

Status check_needed(const void* buffer, const std::vector<Part>& parts, const char* parameter) {
  const bool needed = std::ranges::any_of(parts, [](const Part& part) { return part.count != 0; });
  return needed ? given(buffer, parameter) : Status{};
}

// Row and column of this rank in the matrix of counts, packed in the order of the ranks.
std::vector<Part> packed(const std::vector<uint64_t>& matrix, size_t first, size_t step, uint32_t size) {
  std::vector<Part> parts(size);
  uint64_t at = 0;
  for (uint32_t i = 0; i < size; ++i) {
    parts[i] = {at, matrix[first + i * step]};
    at += parts[i].count;
  }
  return parts;
}

}  // namespace

HcclResult HcclAlltoAll(const void* sendBuf, uint64_t sendCount, HcclDataType sendType, const void* recvBuf,
                        uint64_t recvCount, HcclDataType recvType, HcclComm comm, aclrtStream stream) {
  return hccl_entry(
      __func__,
      [&]() -> Status {
        if (sendCount == 0 && recvCount == 0) return {};
        TRY(given(sendBuf, "sendBuf"));
        TRY(given(recvBuf, "recvBuf"));
        if (sendCount != recvCount)
          return {HCCL_E_PARA,
                  formatted("sendCount is {} and recvCount is {}; they must be equal", sendCount, recvCount), "EI0003"};
        TRY(check_same_type(sendType, recvType));
        TRY(given(stream, "stream"));
        TRY(given(comm, "comm"));
        TRY(check_different(sendBuf, recvBuf));
        TRY(check_count(sendCount, "sendCount"));
        return submit(Operation{comm, stream, sendCount, false, [=](const Communicator& in) -> Result<Work> {
                                  TRY(check_movable(sendType));
                                  const uint64_t all = sendCount * in.size();
                                  TRY(check_buffer(sendBuf, all, sendType, "sendBuf", Use::Read));
                                  TRY(check_buffer(recvBuf, all, sendType, "recvBuf", Use::Write));
                                  return comm::even_work(
                                      {Op::AlltoAll, sendType, HCCL_REDUCE_RESERVED, 0, sendCount, 0},
                                      host_view(sendBuf), host_view(const_cast<void*>(recvBuf)), in.rank(), in.size());
                                }});
      },
      sendBuf, sendCount, sendType, recvBuf, recvCount, recvType, comm, stream);
}

HcclResult HcclAlltoAllV(const void* sendBuf, const void* sendCounts, const void* sdispls, HcclDataType sendType,
                         const void* recvBuf, const void* recvCounts, const void* rdispls, HcclDataType recvType,
                         HcclComm comm, aclrtStream stream) {
  return hccl_entry(
      __func__,
      [&]() -> Status {
        TRY(given(sendCounts, "sendCounts"));
        TRY(given(sdispls, "sdispls"));
        TRY(given(recvCounts, "recvCounts"));
        TRY(given(rdispls, "rdispls"));
        TRY(given(stream, "stream"));
        TRY(given(comm, "comm"));
        TRY(check_different(sendBuf, recvBuf));
        TRY(check_same_type(sendType, recvType));
        const uint32_t size = TRY(find_communicator(comm))->size();
        const auto give = TRY(read_parts(sendCounts, sdispls, size, "sendCounts"));
        const auto take = TRY(read_parts(recvCounts, rdispls, size, "recvCounts"));
        TRY(check_needed(sendBuf, give, "sendBuf"));
        TRY(check_needed(recvBuf, take, "recvBuf"));
        return submit(Operation{comm, stream, 0, true, [=](const Communicator&) {
                                  return exchange_work(Op::AlltoAllV, sendBuf, recvBuf, sendType, give, take);
                                }});
      },
      sendBuf, sendCounts, sdispls, sendType, recvBuf, recvCounts, rdispls, recvType, comm, stream);
}

HcclResult HcclAlltoAllVC(const void* sendBuf, const void* sendCountMatrix, HcclDataType sendType, const void* recvBuf,
                          HcclDataType recvType, HcclComm comm, aclrtStream stream) {
  return hccl_entry(
      __func__,
      [&]() -> Status {
        TRY(given(sendCountMatrix, "sendCountMatrix"));
        TRY(given(stream, "stream"));
        TRY(given(comm, "comm"));
        TRY(check_different(sendBuf, recvBuf));
        TRY(check_same_type(sendType, recvType));
        const Visit in = TRY(find_communicator(comm));
        const uint32_t size = in->size(), rank = in->rank();
        auto matrix = TRY(read_counts(sendCountMatrix, size_t{size} * size, "sendCountMatrix"));
        const auto give = packed(matrix, size_t{rank} * size, 1, size), take = packed(matrix, rank, size, size);
        TRY(check_needed(sendBuf, give, "sendBuf"));
        TRY(check_needed(recvBuf, take, "recvBuf"));
        if (std::ranges::all_of(matrix, [](uint64_t count) { return count == 0; })) return {};
        return submit(
            Operation{comm, stream, 0, true, [=, matrix = std::move(matrix)](const Communicator&) -> Result<Work> {
                        Work work = TRY(exchange_work(Op::AlltoAllVC, sendBuf, recvBuf, sendType, give, take));
                        work.matrix = matrix;
                        work.call.arrays = comm::hash_of_arrays(work);
                        return work;
                      }});
      },
      sendBuf, sendCountMatrix, sendType, recvBuf, recvType, comm, stream);
}
