// SPDX-License-Identifier: Apache-2.0
// The operations in which every rank gives the same count.
#include "api/hccl/checks.h"
#include "api/hccl/entry.h"
#include "api/hccl/submit.h"
#include "base/device_memory.h"
#include "comm/data_type.h"
#include "hccl/hccl.h"

using namespace belay;
using namespace belay::api;
using comm::Call;
using comm::Communicator;
using comm::Op;
using comm::Part;
using comm::Work;

namespace {

// comm, stream and the buffers are there, and the count is possible.
Status check_given(HcclComm comm, aclrtStream stream,
                   std::initializer_list<std::pair<const void*, const char*>> buffers, uint64_t count,
                   const char* parameter) {
  TRY(given(comm, "comm"));
  TRY(given(stream, "stream"));
  for (const auto& [buffer, name] : buffers) TRY(given(buffer, name));
  return check_count(count, parameter);
}

Work new_work(Op op, const void* send, void* recv, uint64_t count, HcclDataType type) {
  Work work;
  work.call = {op, type, HCCL_REDUCE_RESERVED, 0, count, 0};
  work.element = comm::element_size(type);
  work.send = host_view(static_cast<const std::byte*>(send));
  work.recv = host_view(static_cast<std::byte*>(recv));
  return work;
}

// Part i is the i-th block of `count` elements.
std::vector<Part> blocks_of(uint32_t size, uint64_t count) {
  std::vector<Part> parts(size);
  for (uint32_t i = 0; i < size; ++i) parts[i] = {i * count, count};
  return parts;
}

}  // namespace

HcclResult HcclAllReduce(void* sendBuf, void* recvBuf, uint64_t count, HcclDataType dataType, HcclReduceOp op,
                         HcclComm comm, aclrtStream stream) {
  return hccl_entry(
      __func__,
      [&]() -> Status {
        if (count == 0) return {};
        TRY(check_given(comm, stream, {{sendBuf, "sendBuf"}, {recvBuf, "recvBuf"}}, count, "count"));
        return submit(Operation{comm, stream, count, false, [=](const Communicator&) -> Result<Work> {
                                  TRY(check_reducible(dataType, op));
                                  TRY(check_buffer(sendBuf, count, dataType, "sendBuf", Use::Read));
                                  TRY(check_buffer(recvBuf, count, dataType, "recvBuf", Use::Write));
                                  Work work = new_work(Op::AllReduce, sendBuf, recvBuf, count, dataType);
                                  work.call.reduce = op;
                                  return work;
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
                                  Work work = new_work(Op::Reduce, sendBuf, recvBuf, count, dataType);
                                  work.call.reduce = op;
                                  work.call.root = root;
                                  work.give.resize(in.size());
                                  work.give[root] = {0, count};
                                  return work;
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
                                  Work work = new_work(Op::Broadcast, buf, buf, count, dataType);
                                  work.call.root = root;
                                  work.give.assign(in.size(), gives ? Part{0, count} : Part{});
                                  work.give[root] = {};
                                  work.take.resize(in.size());
                                  if (!gives) work.take[root] = {0, count};
                                  return work;
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
        return submit(Operation{comm, stream, recvCount, false, [=](const Communicator& in) -> Result<Work> {
                                  TRY(check_reducible(dataType, op));
                                  TRY(check_buffer(sendBuf, recvCount * in.size(), dataType, "sendBuf", Use::Read));
                                  TRY(check_buffer(recvBuf, recvCount, dataType, "recvBuf", Use::Write));
                                  Work work = new_work(Op::ReduceScatter, sendBuf, recvBuf, recvCount, dataType);
                                  work.call.reduce = op;
                                  work.give = blocks_of(in.size(), recvCount);
                                  return work;
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
        return submit(Operation{comm, stream, sendCount, false, [=](const Communicator& in) -> Result<Work> {
                                  TRY(check_movable(dataType));
                                  TRY(check_buffer(sendBuf, sendCount, dataType, "sendBuf", Use::Read));
                                  TRY(check_buffer(recvBuf, sendCount * in.size(), dataType, "recvBuf", Use::Write));
                                  Work work = new_work(Op::AllGather, sendBuf, recvBuf, sendCount, dataType);
                                  work.give.assign(in.size(), Part{0, sendCount});
                                  work.take = blocks_of(in.size(), sendCount);
                                  return work;
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
        return submit(Operation{comm, stream, recvCount, false, [=](const Communicator& in) -> Result<Work> {
                                  TRY(check_movable(dataType));
                                  TRY(check_rank(root, in, "root"));
                                  const bool gives = in.rank() == root;
                                  if (gives)
                                    TRY(check_buffer(sendBuf, recvCount * in.size(), dataType, "sendBuf", Use::Read));
                                  TRY(check_buffer(recvBuf, recvCount, dataType, "recvBuf", Use::Write));
                                  Work work = new_work(Op::Scatter, sendBuf, recvBuf, recvCount, dataType);
                                  work.call.root = root;
                                  work.give = gives ? blocks_of(in.size(), recvCount) : std::vector<Part>(in.size());
                                  work.take.resize(in.size());
                                  work.take[root] = {0, recvCount};
                                  return work;
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
