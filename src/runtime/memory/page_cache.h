// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <unordered_map>

namespace belay {

// Large pieces of memory, straight from the system. What is given back is kept for reuse up to a bound, because mapping
// and first touches are slow. All of it is claimed in blocks(), so that a stale address is recognised. Safe from any
// thread.
class PageCache {
 public:
  explicit PageCache(size_t bound) : bound_(bound) {}

  // At least `bytes`, not zeroed; aligned to a page, and to a huge page from that size on. Null when there is no
  // memory.
  std::byte* take(size_t bytes);
  void give(std::byte* base);
  // The same, unmapped at once: for memory that became a shared file.
  void give_shared(std::byte* base);
  // Gives all that is kept back to the system.
  void trim();

  size_t cached_bytes() const;
  // The size of a piece that was taken: at least what was asked for.
  size_t mapped_bytes(std::byte* base) const;

  // Held over fork(), so that the child finds the cache whole.
  std::mutex& mutex() const { return mutex_; }

 private:
  struct Kept {
    std::byte* base;
    size_t bytes;
  };
  std::byte* reuse(size_t bytes);
  void drop_oldest();

  const size_t bound_;
  mutable std::mutex mutex_;
  // Guarded by mutex_.
  std::unordered_map<std::byte*, size_t> taken_;
  std::map<uint64_t, Kept> kept_;            // by age
  std::multimap<size_t, uint64_t> by_size_;  // ages
  uint64_t next_age_ = 0;
  size_t kept_bytes_ = 0;
};

PageCache& page_cache();

}  // namespace belay
