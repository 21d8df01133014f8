// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sched.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>

namespace belay {

// A lock for what many threads read all the time and few write: readers on different cores do not disturb each other.
// For std::shared_lock and std::lock_guard; a thread reads once at a time.
class ManyReaders {
 public:
  // Sequentially consistent on both sides: either the writer sees the reader, or the reader sees the writer.
  void lock_shared() {
    std::atomic<int>& readers = own_slot().readers;
    ++readers;
    if (!writing_) return;
    --readers;
    std::lock_guard after(writers_);
    ++readers;
  }
  void unlock_shared() { own_slot().readers.fetch_sub(1, std::memory_order_release); }

  void lock() {
    writers_.lock();
    writing_ = true;
    for (const Slot& slot : slots_)
      while (slot.readers != 0) sched_yield();
  }
  void unlock() {
    writing_ = false;
    writers_.unlock();
  }

 private:
  struct alignas(64) Slot {
    std::atomic<int> readers{0};
  };
  Slot& own_slot() {
    static std::atomic<size_t> next{0};
    thread_local const size_t own = next++ % kSlots;
    return slots_[own];
  }

  static constexpr size_t kSlots = 32;
  std::array<Slot, kSlots> slots_;  // threads share them, few each
  std::atomic<bool> writing_{false};
  std::mutex writers_;
};

}  // namespace belay
