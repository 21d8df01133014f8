// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

namespace belay::dump {

// Memory for what waits to be written, bounded: whoever wants more waits, in the order of asking. What is larger than
// the limit passes when nothing else is held. Memory that comes back is used again. Safe from any thread; lives at
// least as long as everything it gave.
class BufferPool {
 public:
  explicit BufferPool(size_t limit) : limit_(limit) {}
  ~BufferPool();
  BufferPool(const BufferPool&) = delete;
  BufferPool& operator=(const BufferPool&) = delete;

  size_t limit() const { return limit_; }

  // A right to so many bytes; what is not spent goes back with it.
  class Reservation {
   public:
    Reservation(Reservation&& other) noexcept : pool_(other.pool_), left_(other.left_) { other.left_ = 0; }
    Reservation& operator=(Reservation&&) = delete;
    ~Reservation() { pool_.give_back(left_); }

    // Memory of that size, aligned to 64 bytes; counted until the last holder lets go of it.
    std::shared_ptr<std::byte> take(size_t bytes);
    // Keeps the rest of the right until the last holder lets go.
    std::shared_ptr<void> take_rest();

   private:
    friend class BufferPool;
    Reservation(BufferPool& pool, size_t bytes) : pool_(pool), left_(bytes) {}
    BufferPool& pool_;
    size_t left_;
  };

  // Waits for room. A thread that waits must hold nothing of this pool.
  Reservation reserve(size_t bytes);
  // Does not wait: false when there is no room now.
  bool try_reserve(size_t bytes);
  // What try_reserve granted, or, for threads that must not wait, more than there is room for.
  Reservation granted(size_t bytes) { return {*this, bytes}; }
  void exceed(size_t bytes);

  // Gives memory that is kept for later back to the system.
  void free_kept();

  size_t used() const;
  // How often somebody had to wait.
  uint64_t waits() const;

 private:
  bool fits(size_t bytes) const { return used_ == 0 || used_ + bytes <= limit_; }
  std::byte* allocate(size_t bytes, size_t& capacity);
  void free(std::byte* memory, size_t capacity, size_t counted);
  void give_back(size_t bytes);
  void trim();

  const size_t limit_;
  mutable std::mutex mutex_;
  std::condition_variable room_;
  // Guarded by mutex_.
  size_t used_ = 0, kept_bytes_ = 0;
  uint64_t next_ticket_ = 0, served_ = 0, waits_ = 0;
  std::multimap<size_t, std::byte*> kept_;  // free memory by size
};

}  // namespace belay::dump
