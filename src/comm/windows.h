// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

#include "base/status.h"

namespace belay::comm {

// Memory that a program has declared to a communicator. Here every rank reaches all memory that it is given: nothing is
// faster for it, but what is declared, and how, is checked. Safe from any thread.
class DeclaredMemory {
 public:
  // Ranges for zero copy, and the parts of them that are mapped. E_PARA for one that overlaps another, or lies in none.
  Status add_range(uintptr_t base, size_t size);
  Status remove_range(uintptr_t base);
  Status add_part(uintptr_t base, size_t size);
  Status remove_part(uintptr_t base);

  // Windows, by a number that is never given out twice.
  uint64_t add_window(uintptr_t base, size_t size);
  bool remove_window(uint64_t number);
  bool has_window(uint64_t number) const;
  struct Found {
    uint64_t number = 0;  // 0: none holds it
    size_t offset = 0;
  };
  Found find_window(uintptr_t address, size_t size) const;

 private:
  using Ranges = std::map<uintptr_t, size_t>;
  static bool inside(const Ranges& ranges, uintptr_t base, size_t size);
  static bool overlaps(const Ranges& ranges, uintptr_t base, size_t size);

  struct Window {
    uintptr_t base;
    size_t size;
  };
  mutable std::mutex mutex_;
  // Guarded by mutex_.
  Ranges ranges_, parts_;
  std::map<uint64_t, Window> windows_;
};

}  // namespace belay::comm
