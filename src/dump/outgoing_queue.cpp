// SPDX-License-Identifier: Apache-2.0
#include "dump/outgoing_queue.h"

#include <pthread.h>
#include <unistd.h>

namespace belay::dump {
namespace {

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

uint64_t OutgoingQueue::submit(Outgoing item) {
  if (forked()) return 0;
  std::lock_guard lock(mutex_);
  if (threads_.empty()) {
    owner_ = getpid();
    for (size_t i = 0; i < thread_count_; ++i) {
      threads_.emplace_back([this] { work(); });
      pthread_setname_np(threads_.back().native_handle(), name_);
    }
  }
  items_.emplace_back(++last_, std::move(item));
  unfinished_.insert(last_);
  added_.notify_one();
  return last_;
}

void OutgoingQueue::wait(uint64_t number) {
  if (forked() || number == 0) return;
  std::unique_lock lock(mutex_);
  consumed_.wait(lock, [&] { return !unfinished_.contains(number); });
}

void OutgoingQueue::drain() {
  if (on_own_thread() || forked()) return;
  std::unique_lock lock(mutex_);
  consumed_.wait(lock, [&, last = last_] { return unfinished_.empty() || *unfinished_.begin() > last; });
}

void OutgoingQueue::work() {
  served = this;
  std::unique_lock lock(mutex_);
  for (;;) {
    added_.wait(lock, [&] { return ending_ || !items_.empty(); });
    if (items_.empty()) return;
    const uint64_t number = items_.front().first;
    {
      Outgoing item = std::move(items_.front().second);
      items_.pop_front();
      lock.unlock();
      consume_(item);
    }  // its memory is free before anybody is told
    lock.lock();
    unfinished_.erase(number);
    consumed_.notify_all();
  }
}

}  // namespace belay::dump
