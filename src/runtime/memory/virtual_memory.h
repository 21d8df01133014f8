// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "base/status.h"
#include "runtime/memory/physical_memory.h"

namespace belay {

// Somebody who may be given access to mapped memory: an aclrtMemLocation.
struct Accessor {
  uint32_t type;
  uint32_t id;
  auto operator<=>(const Accessor&) const = default;
};

// Reserved addresses of this process and the physical memory mapped into them. Mapped pieces are known to blocks().
// Access is a promise kept by the calls that look at addresses; the pages themselves stay readable and writable, but
// for the host's access to opaque memory (opaque_mode): it is what the host was given. All errors are 107000 unless
// said otherwise. Safe from any thread.
class VirtualMemory {
 public:
  // Addresses without memory, aligned to `alignment` (0: a huge page). `wanted` is a hint. 207001 when there are none.
  Result<void*> reserve(size_t size, size_t alignment, void* wanted);
  // Refused while anything is mapped there.
  Status release(void* base);

  // Puts `size` bytes of the memory, from `offset` on, at an address inside one reservation where nothing is mapped
  // yet. `access`: ACL_RT_MEM_ACCESS_FLAGS_* of the memory's own device.
  Status map(void* at, size_t size, size_t offset, std::shared_ptr<PhysicalMemory> memory, uint32_t access);
  // `at` is where a mapping starts.
  Status unmap(void* at);

  // Gives `who` access to whole mappings that follow each other from `at` on.
  Status set_access(void* at, size_t size, Accessor who, uint32_t access);
  Result<uint32_t> access(const void* at, Accessor who) const;

  // The memory mapped at the address.
  Result<std::shared_ptr<PhysicalMemory>> memory_at(const void* at) const;

 private:
  Result<void*> reserve_opaque(size_t bytes, size_t alignment);
  void* keep(std::byte* start, size_t bytes);  // with mutex_ held
  struct Mapping {
    size_t size;
    size_t offset;  // in the memory
    std::shared_ptr<PhysicalMemory> memory;
    std::map<Accessor, uint32_t> access;
  };
  using Mappings = std::map<std::byte*, Mapping>;
  struct Reservation {
    size_t size;
    Mappings mappings;
  };
  // The reservation that holds the whole range; null when none does.
  Reservation* around(const void* at, size_t size);
  const Mapping* mapping_at(const void* at) const;

  mutable std::mutex mutex_;
  std::map<std::byte*, Reservation> reservations_;  // guarded by mutex_
};

VirtualMemory& virtual_memory();

}  // namespace belay
