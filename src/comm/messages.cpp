// SPDX-License-Identifier: Apache-2.0
#include "comm/messages.h"

#include <cstring>
#include <deque>

#include "comm/communicator.h"

namespace belay::comm {
namespace {

// One message while it is on its way.
class Delivery {
 public:
  Delivery(Communicator& communicator, Stream& stream, const Message& message)
      : exchange_(communicator, stream, message.call, message.number, true), message_(message) {}
  ~Delivery() {
    if (laid_) exchange_.board().withdraw(key(), &offer_);
  }
  Delivery(const Delivery&) = delete;
  Delivery& operator=(const Delivery&) = delete;

  void begin() {
    const bool sends = message_.call.op == Op::Send;
    if (!exchange_.here(message_.peer)) {
      if (sends)
        exchange_.post().send(exchange_.rank(), message_.peer, 0, message_.data, message_.bytes, true);
      else
        exchange_.post().receive(message_.peer, 0, message_.data, message_.bytes);
    } else if (sends) {
      offer_ = {message_.call, message_.data, message_.bytes};
      laid_ = true;
      exchange_.board().lay(key(), &offer_);
    }
  }

  Status end() {
    if (!exchange_.here(message_.peer)) return exchange_.wait_for_post();
    if (message_.call.op == Op::Send)
      return exchange_.wait([&] { return exchange_.board().is_taken(offer_); }, message_.peer);
    Offer* offer = nullptr;
    TRY(exchange_.wait([&] { return (offer = exchange_.board().pick(key())) != nullptr; }, message_.peer));
    const Status same = exchange_.compare_message(message_.peer, offer->call);
    if (!same.ok()) {
      exchange_.board().put_back(offer);
      return same;
    }
    std::memcpy(message_.data, offer->data, message_.bytes);
    exchange_.board().taken(key(), offer);
    return {};
  }

  Status close(Status status) { return exchange_.close(std::move(status)); }

 private:
  uint64_t key() const {
    const uint64_t mine = exchange_.rank(), theirs = message_.peer;
    const bool sends = message_.call.op == Op::Send;
    return (sends ? mine : theirs) << 52 | (sends ? theirs : mine) << 40 | (message_.number & 0xffffffffff);
  }

  Exchange exchange_;
  const Message message_;
  Offer offer_;
  bool laid_ = false;
};

void copy_to_itself(const std::vector<Message>& messages, uint32_t rank) {
  std::deque<const Message*> sent;
  for (const Message& message : messages)
    if (message.peer == rank && message.call.op == Op::Send) sent.push_back(&message);
  for (const Message& message : messages) {
    if (message.peer != rank || message.call.op != Op::Receive || sent.empty()) continue;
    std::memmove(message.data, sent.front()->data, message.bytes);
    sent.pop_front();
  }
}

}  // namespace

Status run_messages(Communicator& communicator, Stream& stream, std::vector<Message> messages) {
  copy_to_itself(messages, communicator.rank());
  std::deque<Delivery> deliveries;
  for (const Message& message : messages)
    if (message.peer != communicator.rank()) deliveries.emplace_back(communicator, stream, message).begin();
  // Receiving first: each rank then takes what the others offer before it waits for its own to be taken.
  for (const Op op : {Op::Receive, Op::Send}) {
    auto delivery = deliveries.begin();
    for (const Message& message : messages) {
      if (message.peer == communicator.rank()) continue;
      if (message.call.op == op)
        if (Status status = delivery->end(); !status.ok()) return delivery->close(std::move(status));
      ++delivery;
    }
  }
  return {};
}

}  // namespace belay::comm
