// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <unordered_map>

#include "runtime/memory/shared_file.h"

namespace belay {

// Device memory that the program cannot touch (opaque_mode): it gets addresses that nothing backs, the bytes are at
// host_view() of them. Between two pieces there is always a page that belongs to nobody, and addresses are given out
// again as late as there are others: who touches freed memory, or runs past an end, is found out. Safe from any thread.
class OpaqueMemory {
 public:
  OpaqueMemory();

  // At least `bytes` of zeros, aligned to a page, and to a huge page from that size on. Null when there is no room.
  std::byte* take(size_t bytes, size_t alignment = kPage);
  void give(std::byte* base);
  // The size of a piece that was taken: at least what was asked for. 0 for what was not.
  size_t bytes_of(std::byte* base) const;

  // Has a piece of a file lie at the view of `at`; false when the host refuses. Afterwards zeros lie there again.
  static bool map_view(const SharedFile& file, size_t offset, size_t bytes, std::byte* at);
  static void unmap_view(std::byte* at, size_t bytes);
  // The same for the program's own address: memory that the host may touch after all.
  static bool show(const SharedFile& file, size_t offset, size_t bytes, std::byte* at, bool writable);
  static void hide(std::byte* at, size_t bytes);

  // Held over fork(), so that the child finds it whole.
  std::mutex& mutex() const { return mutex_; }

 private:
  bool find(size_t bytes, size_t alignment, uintptr_t from, uintptr_t& start) const;
  void carve(uintptr_t start, size_t bytes);
  bool commit(uintptr_t end);

  mutable std::mutex mutex_;
  // Guarded by mutex_.
  std::map<uintptr_t, size_t> free_;  // addresses, with the bytes from there on; no two adjoin
  std::unordered_map<std::byte*, size_t> taken_;
  uintptr_t next_;       // where to look first: behind what was taken last
  uintptr_t committed_;  // views below it can be read and written
};

OpaqueMemory& opaque_memory();

}  // namespace belay
