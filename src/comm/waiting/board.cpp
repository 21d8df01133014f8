// SPDX-License-Identifier: Apache-2.0
#include "comm/waiting/board.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <thread>

#include "base/text.h"
#include "base/threads/futex.h"
#include "comm/count_arrays.h"
#include "runtime/stream/held_up.h"

namespace belay::comm {
namespace {

// An abort of a stream is not announced: it is noticed when a sleeper wakes.
constexpr std::chrono::milliseconds kLongestSleep{10};

constexpr uint64_t kBeingFilled = ~uint64_t{0};

uint64_t mark(const MessageId& id, OfferState state) { return id.number << 2 | static_cast<uint64_t>(state); }

std::tuple<uint32_t, uint32_t, uint64_t> key(const MessageId& id) { return {id.from, id.to, id.number}; }

}  // namespace

uint64_t Issued::add(const void* on) {
  if (stream.load(std::memory_order_relaxed) != on && stream.exchange(on) != on) since = last + 1;
  return ++last;
}

bool Issued::behind(uint64_t number, const void* by) const {
  return last >= number && number >= since && held_up().behind(stream, by);
}

void UnderWay::begin(const std::atomic<bool>& aborted) {
  const std::atomic<bool>* none = nullptr;
  if (only_.compare_exchange_strong(none, &aborted)) return;
  std::lock_guard lock(mutex_);
  others_.push_back(&aborted);
}

// Which of several operations on one stream it is does not matter: they share the flag.
void UnderWay::end(const std::atomic<bool>& aborted) {
  const std::atomic<bool>* it = &aborted;
  if (only_.compare_exchange_strong(it, nullptr)) {
    while (looking_ != 0) sched_yield();
    return;
  }
  std::lock_guard lock(mutex_);
  others_.erase(std::ranges::find(others_, &aborted));
}

bool UnderWay::aborted() const {
  std::lock_guard lock(mutex_);
  ++looking_;
  const auto* only = only_.load();
  const bool it = only && *only;
  --looking_;
  return it || std::ranges::any_of(others_, [](const auto* flag) { return flag->load(); });
}

void Traffic::begin(uint64_t number) {
  uint64_t before = begun;
  while (before < number && !begun.compare_exchange_weak(before, number)) continue;
}

void Seat::show(uint64_t number, Work work) {
  Work& before = offered[number % 2].work;
  std::unique_lock lock(replacing, std::defer_lock);
  if (before.call.arrays) lock.lock();
  before = std::move(work);
  arrived = 4 * number + 1;
}

bool Board::sit(uint32_t rank, int device) {
  std::lock_guard lock(mutex_);
  Seat& seat = seats_[rank];
  if (seat.taken) return false;
  seat.device = device;
  seat.sent = std::vector<Traffic>(size());
  seat.received = std::vector<Traffic>(size());
  seat.boxes = std::vector<Letterbox>(size());
  seat.here.store(true, std::memory_order_release);
  seat.taken.store(true, std::memory_order_release);
  return true;
}

bool Board::all_sit() const {
  return std::ranges::all_of(seats_, [](const Seat& seat) { return seat.taken.load(std::memory_order_acquire); });
}

// Sequentially consistent on both sides: either we see who waits, or it sees the change.
void Board::changed() {
  if (waiting_.load() == 0) return;
  ++changes_;
  futex_wake(changes_, INT_MAX);
  if (!has_wake_descriptors_.load(std::memory_order_relaxed)) return;
  std::lock_guard lock(mutex_);
  const uint64_t one = 1;
  for (const int descriptor : wake_descriptors_) (void)!write(descriptor, &one, sizeof one);
}

void Board::sleep(uint32_t seen) { futex_wait(changes_, seen, kLongestSleep); }

void Board::add_wake_descriptor(int descriptor) {
  std::lock_guard lock(mutex_);
  wake_descriptors_.push_back(descriptor);
  has_wake_descriptors_ = true;
}

void Board::remove_wake_descriptor(int descriptor) {
  std::lock_guard lock(mutex_);
  std::erase(wake_descriptors_, descriptor);
  has_wake_descriptors_ = !wake_descriptors_.empty();
}

void Board::fail(Failure failure) {
  std::function<void(const Failure&)> tell;
  {
    std::lock_guard lock(mutex_);
    if (failed_) return;
    failure_ = failure;
    tell = messenger_;
    failed_ = true;
  }
  changed();
  if (tell) tell(failure);
}

void Board::set_messenger(std::function<void(const Failure& failure)> messenger) {
  std::lock_guard lock(mutex_);
  messenger_ = std::move(messenger);
}

Failure Board::failure() const {
  std::lock_guard lock(mutex_);
  return failure_;
}

// An abort is noticed within a look at the stream, but on a busy machine that takes as long as it takes.
std::string Board::wait_until_quiet(std::chrono::steady_clock::time_point deadline) const {
  while (!failed()) {
    const auto loud = std::ranges::find_if(seats_, [](const Seat& seat) { return seat.under_way.aborted(); });
    if (loud == seats_.end()) break;
    if (std::chrono::steady_clock::now() > deadline)
      return formatted("rank {} has not noticed that its operation was aborted: its stream still does something else",
                       loud - seats_.begin());
    std::this_thread::sleep_for(kLongestSleep / 10);
  }
  return {};
}

std::vector<uint64_t> Board::arrays_of(uint32_t rank, uint64_t number) const {
  const Seat& seat = seats_[rank];
  std::lock_guard lock(seat.replacing);
  const uint64_t shown = seat.arrived.load(std::memory_order_acquire) / 4;
  if (shown != number && shown != number + 1) return {};
  return count_arrays(seat.work(number));
}

Letterbox* Board::box(const MessageId& id) {
  Seat& sender = seats_[id.from];
  return sender.taken.load(std::memory_order_acquire) ? &sender.boxes[id.to] : nullptr;
}

void Board::lay(const MessageId& id, const Offer& offer) {
  Letterbox& box = *this->box(id);
  if (uint64_t empty = 0; box.state.compare_exchange_strong(empty, kBeingFilled)) {
    box.offer = offer;
    box.state = mark(id, OfferState::Lying);
  } else {
    std::lock_guard lock(mutex_);
    parked_[key(id)] = {offer, OfferState::Lying};
    ++parked_count_;
  }
  changed();
}

// Whether the message was there in that state, and now is in the other.
bool Board::change(const MessageId& id, OfferState from, OfferState to) {
  Letterbox* const box = this->box(id);
  if (!box) return false;
  uint64_t before = mark(id, from);
  if (box->state.load(std::memory_order_acquire) == before &&
      box->state.compare_exchange_strong(before, to == OfferState::None ? 0 : mark(id, to)))
    return true;
  if (parked_count_ == 0) return false;
  std::lock_guard lock(mutex_);
  const auto found = parked_.find(key(id));
  if (found == parked_.end() || found->second.state != from) return false;
  found->second.state = to;
  if (to != OfferState::None) return true;
  parked_.erase(found);
  --parked_count_;
  return true;
}

std::optional<Offer> Board::pick(const MessageId& id) {
  if (!change(id, OfferState::Lying, OfferState::Read)) return {};
  if (const Letterbox& lies = *box(id); lies.state.load(std::memory_order_acquire) == mark(id, OfferState::Read))
    return lies.offer;
  std::lock_guard lock(mutex_);
  return parked_.at(key(id)).offer;
}

void Board::take(const MessageId& id) {
  (void)change(id, OfferState::Read, OfferState::Taken);
  changed();
}

void Board::put_back(const MessageId& id) { (void)change(id, OfferState::Read, OfferState::Lying); }

bool Board::is_taken(const MessageId& id) const {
  const uint64_t taken = mark(id, OfferState::Taken);
  if (box(id)->state.load(std::memory_order_acquire) == taken) return true;
  if (parked_count_ == 0) return false;
  std::lock_guard lock(mutex_);
  const auto found = parked_.find(key(id));
  return found != parked_.end() && found->second.state == OfferState::Taken;
}

// While it is read, for as long as a copy takes.
void Board::end_offer(const MessageId& id) {
  while (!change(id, OfferState::Taken, OfferState::None) && !change(id, OfferState::Lying, OfferState::None))
    sched_yield();
}

}  // namespace belay::comm
