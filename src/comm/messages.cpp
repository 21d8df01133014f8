// SPDX-License-Identifier: Apache-2.0
#include "comm/messages.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <new>
#include <optional>
#include <utility>

#include "base/text.h"
#include "comm/communicator.h"

namespace belay::comm {

// One message while it is on its way.
class Batch::Delivery {
 public:
  Delivery(Communicator& communicator, Stream& stream, const Message& message)
      : exchange_(communicator, stream, message.call, message.number, true), message_(message) {}
  ~Delivery() {
    if (laid_) exchange_.board().end_offer(id());
  }
  Delivery(const Delivery&) = delete;
  Delivery& operator=(const Delivery&) = delete;

  void begin() {
    Seat& mine = exchange_.board().seat(exchange_.rank());
    (sends() ? mine.sent : mine.received)[message_.peer].begin(message_.number);
    if (!exchange_.here(message_.peer)) {
      if (sends())
        exchange_.post().send(exchange_.rank(), message_.peer, 0, message_.data, message_.bytes, true);
      else
        exchange_.post().receive(message_.peer, 0, message_.data, message_.bytes);
    } else if (sends()) {
      laid_ = true;
      exchange_.board().lay(id(), {message_.call, message_.data, message_.bytes});
    }
  }

  // Whether it has been delivered, or has failed.
  bool move() {
    if (!done_)
      done_ = !exchange_.here(message_.peer) ? exchange_.post().done()
              : sends()                      ? exchange_.board().is_taken(id())
                                             : take();
    return done_;
  }

  // Looks for a short time whether all are delivered, and well.
  bool attempt(std::list<Delivery>& batch) {
    const auto well = [](Delivery& one) { return one.move() && !one.refused_ && !one.exchange_.post().trouble(); };
    return exchange_.attempt(
        [&] { return exchange_.wait([&] { return std::ranges::all_of(batch, well); }, message_.peer); });
  }

  // Waits until it has been delivered; all the others of its batch are delivered meanwhile.
  Status end(std::list<Delivery>& batch) {
    const auto moved = [&] {
      if (move()) return true;
      for (Delivery& other : batch) (void)other.move();
      return move();
    };
    TRY(exchange_.wait(moved, message_.peer));
    if (refused_) return exchange_.compare_message(message_.peer, *refused_);
    return exchange_.here(message_.peer) ? Status{} : exchange_.wait_for_post();
  }

  Status close(Status status) { return exchange_.close(std::move(status)); }

 private:
  MessageId id() const {
    const uint32_t mine = exchange_.rank(), theirs = message_.peer;
    return {sends() ? mine : theirs, sends() ? theirs : mine, message_.number};
  }
  bool sends() const { return message_.call.op == Op::Send; }

  bool take() {
    const auto offer = exchange_.board().pick(id());
    if (!offer) return false;
    if (!exchange_.expects(offer->call)) {
      exchange_.board().put_back(id());
      refused_ = offer->call;
      return true;
    }
    std::memcpy(message_.data, offer->data, message_.bytes);
    exchange_.board().take(id());
    return true;
  }

  Exchange exchange_;
  const Message message_;
  bool laid_ = false, done_ = false;
  std::optional<Call> refused_;  // what was sent and is not what is expected
};

namespace {

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

Status check_pairs_to_itself(const std::vector<Message>& messages, uint32_t rank) {
  std::vector<const Message*> sent, received;
  for (const Message& message : messages)
    if (message.peer == rank) (message.call.op == Op::Send ? sent : received).push_back(&message);
  const auto refused = [&](const std::string& why) {
    return Status{HCCL_E_PARA, formatted("the messages from rank {} to itself are no pairs: {}", rank, why), "EI0003"};
  };
  if (sent.size() != received.size())
    return refused(formatted("{} are sent and {} received", sent.size(), received.size()));
  for (size_t i = 0; i < sent.size(); ++i)
    if (sent[i]->call.type != received[i]->call.type || sent[i]->call.count != received[i]->call.count)
      return refused(formatted("the one at {} is sent as {} and received as {}", i, describe(sent[i]->call),
                               describe(received[i]->call)));
  return {};
}

Batch::Batch(Communicator& communicator, Stream& stream, std::vector<Message> messages)
    : communicator_(communicator), stream_(stream), messages_(std::move(messages)) {}

Batch::~Batch() = default;

void Batch::begin() {
  if (std::exchange(begun_, true)) return;
  copy_to_itself(messages_, communicator_.rank());
  for (const Message& message : messages_)
    if (message.peer != communicator_.rank()) deliveries_.emplace_back(communicator_, stream_, message).begin();
  all_begun_ = true;
}

bool Batch::attempt() {
  begin();
  return deliveries_.empty() || deliveries_.front().attempt(deliveries_);
}

Status Batch::run() {
  begin();
  if (!all_begun_) throw std::bad_alloc();  // in the attempt; what was not begun would be missed
  for (Delivery& delivery : deliveries_)
    if (Status status = delivery.end(deliveries_); !status.ok()) return delivery.close(std::move(status));
  return {};
}

}  // namespace belay::comm
