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

}  // namespace

uint64_t Issued::add(const void* on) {
  if (stream.exchange(on) != on) since = last + 1;
  return ++last;
}

bool Issued::behind(uint64_t number, const void* by) const {
  return last >= number && number >= since && held_up().behind(stream, by);
}

void UnderWay::begin(const std::atomic<bool>& aborted) {
  std::lock_guard lock(mutex_);
  flags_.push_back(&aborted);
}

void UnderWay::end(const std::atomic<bool>& aborted) {
  std::lock_guard lock(mutex_);
  flags_.erase(std::ranges::find(flags_, &aborted));
}

bool UnderWay::aborted() const {
  std::lock_guard lock(mutex_);
  return std::ranges::any_of(flags_, [](const auto* flag) { return flag->load(); });
}

void Traffic::begin(uint64_t number) {
  uint64_t before = begun;
  while (before < number && !begun.compare_exchange_weak(before, number)) continue;
}

void Seat::show(uint64_t number, Work work) {
  Work& before = offered[number % 2];
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

void Board::lay(uint64_t key, Offer* offer) {
  {
    std::lock_guard lock(mutex_);
    offers_[key] = offer;
  }
  changed();
}

Offer* Board::pick(uint64_t key) {
  std::lock_guard lock(mutex_);
  const auto found = offers_.find(key);
  if (found == offers_.end()) return nullptr;
  found->second->state = Offer::State::Read;
  return found->second;
}

void Board::taken(uint64_t key, Offer* offer) {
  {
    std::lock_guard lock(mutex_);
    offer->state = Offer::State::Taken;
    offers_.erase(key);
  }
  changed();
}

void Board::put_back(Offer* offer) {
  std::lock_guard lock(mutex_);
  offer->state = Offer::State::Lying;
}

bool Board::is_taken(const Offer& offer) const {
  std::lock_guard lock(mutex_);
  return offer.state == Offer::State::Taken;
}

void Board::withdraw(uint64_t key, Offer* offer) {
  for (;; sched_yield()) {
    std::lock_guard lock(mutex_);
    if (offer->state == Offer::State::Read) continue;  // for as long as a copy takes
    if (offer->state == Offer::State::Lying) offers_.erase(key);
    return;
  }
}

}  // namespace belay::comm
