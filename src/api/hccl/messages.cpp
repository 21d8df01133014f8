// SPDX-License-Identifier: Apache-2.0
// Send, receive, and batches of them.
#include <vector>

#include "api/hccl/checks.h"
#include "api/hccl/entry.h"
#include "api/hccl/group.h"
#include "api/hccl/submit.h"
#include "base/device_memory.h"
#include "comm/data_type.h"
#include "hccl/hccl.h"

using namespace belay;
using namespace belay::api;
using comm::Communicator;
using comm::Message;
using comm::Op;

namespace {

Result<Message> make_message(Op op, void* buffer, uint64_t count, HcclDataType type, uint32_t peer,
                             const Communicator& in, const char* parameter) {
  TRY(check_rank(peer, in, op == Op::Send ? "destRank" : "srcRank"));
  TRY(check_buffer(buffer, count, type, parameter, op == Op::Send ? Use::Read : Use::Write));
  Message message;
  message.call = {op, type, HCCL_REDUCE_RESERVED, 0, count, 0};
  message.peer = peer;
  message.data = host_view(static_cast<std::byte*>(buffer));
  message.bytes = count * comm::element_size(type);
  return message;
}

Status one_message(Op op, void* buffer, uint64_t count, HcclDataType type, uint32_t peer, HcclComm comm,
                   aclrtStream stream, const char* parameter) {
  if (count == 0) return {};
  TRY(given(comm, "comm"));
  TRY(given(stream, "stream"));
  TRY(given(buffer, parameter));
  TRY(check_count(count, "count"));
  const bool grouped = Group::current();  // it will be one of a batch
  return submit(Messages{
      comm, stream, [=](const Communicator& in) -> Result<std::vector<Message>> {
        TRY(check_movable(type));
        const Message message = TRY(make_message(op, buffer, count, type, peer, in, parameter));
        if (grouped) return std::vector<Message>{message};
        if (in.size() == 1) return std::vector<Message>();
        if (peer == in.rank())
          return Status{HCCL_E_PARA,
                        formatted("rank {} cannot exchange a message with itself; use a batch or a group", peer),
                        "EI0003"};
        return std::vector<Message>{message};
      }});
}

Result<std::vector<Message>> make_batch(const std::vector<HcclSendRecvItem>& items, const Communicator& in) {
  std::vector<Message> messages;
  for (const HcclSendRecvItem& item : items) {
    if (!item.buf) continue;
    if (item.sendRecvType != HCCL_SEND && item.sendRecvType != HCCL_RECV)
      return Status{HCCL_E_PARA, formatted("sendRecvType is {}; it must be 0 (send) or 1 (receive)", item.sendRecvType),
                    "EI0003"};
    TRY(check_movable(item.dataType));
    TRY(check_count(item.count, "count"));
    messages.push_back(TRY(make_message(item.sendRecvType == HCCL_SEND ? Op::Send : Op::Receive, item.buf, item.count,
                                        item.dataType, item.remoteRank, in, "buf")));
  }
  return messages;
}

}  // namespace

HcclResult HcclSend(void* sendBuf, uint64_t count, HcclDataType dataType, uint32_t destRank, HcclComm comm,
                    aclrtStream stream) {
  return hccl_entry(
      __func__, [&] { return one_message(Op::Send, sendBuf, count, dataType, destRank, comm, stream, "sendBuf"); },
      sendBuf, count, dataType, destRank, comm, stream);
}

HcclResult HcclRecv(void* recvBuf, uint64_t count, HcclDataType dataType, uint32_t srcRank, HcclComm comm,
                    aclrtStream stream) {
  return hccl_entry(
      __func__, [&] { return one_message(Op::Receive, recvBuf, count, dataType, srcRank, comm, stream, "recvBuf"); },
      recvBuf, count, dataType, srcRank, comm, stream);
}

HcclResult HcclBatchSendRecv(HcclSendRecvItem* sendRecvInfo, uint32_t itemNum, HcclComm comm, aclrtStream stream) {
  return hccl_entry(
      __func__,
      [&]() -> Status {
        TRY(given(comm, "comm"));
        TRY(given(stream, "stream"));
        TRY(given(sendRecvInfo, "sendRecvInfo"));
        if (itemNum == 0) return {};
        if (Group::current())
          return {HCCL_E_NOT_SUPPORT, "HcclBatchSendRecv cannot be called in a group; call HcclSend and HcclRecv there",
                  "EI0003"};
        const std::vector<HcclSendRecvItem> items(sendRecvInfo, sendRecvInfo + itemNum);
        return run(Messages{comm, stream, [=](const Communicator& in) { return make_batch(items, in); }});
      },
      sendRecvInfo, itemNum, comm, stream);
}
