// SPDX-License-Identifier: Apache-2.0
#include "comm/engine/post.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace belay::comm {

Post::~Post() {
  for (Letter& letter : letters_) {
    engine_->cancel(letter.first);
    engine_->cancel(letter.rest);
  }
  if (flushing_) engine_->cancel(flushed_);
}

// Source 12 bits, communicator 16 (the engine's), kind 1, number 31, step 4: messages between two ranks are numbered
// apart from collective operations.
uint64_t Post::tag(uint32_t from, uint32_t step) const {
  const uint64_t direct = call_.op == Op::Send || call_.op == Op::Receive;
  return uint64_t{from} << 52 | direct << 35 | (number_ & 0x7fffffff) << 4 | step << 1;
}

bool Post::knows(bool incoming, uint32_t peer, uint64_t tag) const {
  return std::ranges::any_of(letters_, [&](const Letter& letter) {
    return letter.incoming == incoming && letter.peer == peer && letter.tag == tag;
  });
}

void Post::send(uint32_t from, uint32_t to, uint32_t step, const std::byte* data, size_t bytes, bool synchronous) {
  if (knows(false, to, tag(from, step) | 1)) return;
  Letter& letter = letters_.emplace_back(false, to, tag(from, step) | 1, nullptr, bytes);
  const bool together = bytes <= kWithLetterhead;
  const size_t packed = sizeof(Letterhead) + (together ? bytes : 0);
  letter.packed = std::make_unique_for_overwrite<std::byte[]>(packed);
  const Letterhead head{Letterhead::kMagic, call_, number_, bytes};
  std::memcpy(letter.packed.get(), &head, sizeof head);
  if (together && bytes) std::memcpy(letter.packed.get() + sizeof head, data, bytes);
  engine_->send(to, tag(from, step), letter.packed.get(), packed, synchronous && together, letter.first);
  if (together)
    letter.rest.done = true;
  else
    engine_->send(to, letter.tag, data, bytes, synchronous, letter.rest);
}

void Post::receive(uint32_t from, uint32_t step, std::byte* into, size_t bytes) {
  if (knows(true, from, tag(from, step) | 1)) return;
  Letter& letter = letters_.emplace_back(true, from, tag(from, step) | 1, into, bytes);
  constexpr size_t kRoom = sizeof(Letterhead) + kWithLetterhead;
  letter.packed = std::make_unique_for_overwrite<std::byte[]>(kRoom);
  engine_->receive(tag(from, step), letter.packed.get(), kRoom, letter.first);
  if (bytes <= kWithLetterhead)
    letter.rest.done = true;
  else if (call_.op != Op::Receive)
    engine_->receive(letter.tag, into, bytes, letter.rest);
}

void Post::send_bare(uint32_t from, uint32_t to, uint32_t step, const std::byte* data, size_t bytes) {
  Letter& letter = letters_.emplace_back(false, to, tag(from, step) | 1, nullptr, bytes);
  letter.first.done = letter.opened = true;
  engine_->send(to, letter.tag, data, bytes, false, letter.rest);
}

void Post::receive_bare(uint32_t from, uint32_t step, std::byte* into, size_t bytes) {
  Letter& letter = letters_.emplace_back(true, from, tag(from, step) | 1, into, bytes);
  letter.first.done = letter.opened = true;
  engine_->receive(letter.tag, into, bytes, letter.rest);
}

void Post::open(Letter& letter) {
  letter.opened = true;
  Letterhead head;
  std::memcpy(&head, letter.packed.get(), sizeof head);
  const bool together = letter.bytes <= kWithLetterhead;
  Call expectation = call_;
  if (call_.op == Op::Receive) expectation.op = Op::Send;
  if (letter.first.failed || head.magic != Letterhead::kMagic || head.call != expectation || head.number != number_ ||
      head.bytes != letter.bytes) {
    if (!trouble_) trouble_ = Trouble{letter.peer, head, letter.first.error, letter.bytes};
    return;
  }
  // What was sent is not taken, and its sender not done, before it is known to be what is expected.
  if (!together && call_.op == Op::Receive) engine_->receive(letter.tag, letter.into, letter.bytes, letter.rest);
  if (together && letter.bytes) std::memcpy(letter.into, letter.packed.get() + sizeof head, letter.bytes);
}

bool Post::finished(Letter& letter) {
  if (!letter.first.done.load(std::memory_order_acquire)) return false;
  if (letter.incoming && !letter.opened) open(letter);
  if (!letter.rest.done.load(std::memory_order_acquire)) return false;
  if ((letter.first.failed || letter.rest.failed) && !trouble_)
    trouble_ =
        Trouble{letter.peer, {0, call_, number_, letter.bytes}, letter.first.error + letter.rest.error, letter.bytes};
  return true;
}

bool Post::arrived() {
  if (letters_.empty()) return true;
  engine_->progress();
  bool all = true;
  for (Letter& letter : letters_)
    if (letter.incoming) all = finished(letter) && all;
  return all || trouble_;
}

bool Post::done() {
  if (letters_.empty()) return true;
  engine_->progress();
  all_ = true;
  for (Letter& letter : letters_) all_ = finished(letter) && all_;
  if (trouble_) return true;
  if (!all_) return false;
  if (!std::exchange(flushing_, true)) {
    engine_->flush(flushed_);
    engine_->progress();
  }
  if (!flushed_.done.load(std::memory_order_acquire)) return false;
  // A later step of the operation begins anew.
  letters_.clear();
  flushing_ = false;
  flushed_.done = false;
  return true;
}

uint32_t Post::missing() const {
  for (const Letter& letter : letters_)
    if (!letter.first.done || !letter.rest.done) return letter.peer;
  return 0;
}

}  // namespace belay::comm
