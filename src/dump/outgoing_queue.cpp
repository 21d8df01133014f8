// SPDX-License-Identifier: Apache-2.0
#include "dump/outgoing_queue.h"

#include <pthread.h>
#include <unistd.h>

#include <chrono>

namespace belay::dump {
namespace {

using namespace std::chrono_literals;

constexpr auto kPatience = 200ms;  // with items that came quietly

thread_local const OutgoingQueue* served = nullptr;

}  // namespace

OutgoingQueue::~OutgoingQueue() {
  {
    std::lock_guard lock(mutex_);
    ending_ = true;
  }
  added_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

bool OutgoingQueue::forked() const {
  const pid_t owner = owner_.load(std::memory_order_relaxed);
  return owner != 0 && owner != getpid();
}

bool OutgoingQueue::on_own_thread() const { return served == this; }

uint64_t OutgoingQueue::submit(Outgoing item) { return add(std::move(item), false); }

uint64_t OutgoingQueue::submit_quietly(Outgoing item) { return add(std::move(item), true); }

uint64_t OutgoingQueue::add(Outgoing item, bool quietly) {
  if (forked()) return 0;
  std::lock_guard lock(mutex_);
  if (threads_.empty()) {
    owner_ = getpid();
    for (size_t i = 0; i < thread_count_; ++i) {
      threads_.emplace_back([this] { work(); });
      pthread_setname_np(threads_.back().native_handle(), name_);
    }
  }
  const bool first = items_.empty();
  items_.emplace_back(++last_, std::move(item));
  unfinished_.insert(last_);
  called_ = called_ || !quietly;
  if (!quietly || first) added_.notify_one();
  return last_;
}

bool OutgoingQueue::consume_one() {
  std::unique_lock lock(mutex_);
  if (items_.empty()) return false;
  consume_next(lock);
  return true;
}

void OutgoingQueue::wait(uint64_t number) {
  if (forked() || number == 0) return;
  std::unique_lock lock(mutex_);
  consumed_.wait(lock, [&] { return !unfinished_.contains(number); });
}

void OutgoingQueue::drain() {
  if (on_own_thread() || forked()) return;
  std::unique_lock lock(mutex_);
  if (!items_.empty()) {
    called_ = true;
    added_.notify_all();
  }
  consumed_.wait(lock, [&, last = last_] { return unfinished_.empty() || *unfinished_.begin() > last; });
}

// The lock is held before and after.
void OutgoingQueue::consume_next(std::unique_lock<std::mutex>& lock) {
  const uint64_t number = items_.front().first;
  {
    Outgoing item = std::move(items_.front().second);
    items_.pop_front();
    if (items_.empty()) called_ = false;
    lock.unlock();
    consume_(item);
  }  // its memory is free before anybody is told
  lock.lock();
  unfinished_.erase(number);
  consumed_.notify_all();
}

void OutgoingQueue::work() {
  served = this;
  std::unique_lock lock(mutex_);
  for (;;) {
    added_.wait(lock, [&] { return ending_ || !items_.empty(); });
    if (!called_ && !ending_) (void)added_.wait_for(lock, kPatience, [&] { return ending_ || called_; });
    if (items_.empty() && ending_) return;
    if (items_.empty()) continue;
    called_ = true;
    consume_next(lock);
  }
}

}  // namespace belay::dump
