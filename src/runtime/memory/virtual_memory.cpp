// SPDX-License-Identifier: Apache-2.0
#include "runtime/memory/virtual_memory.h"

#include <sys/mman.h>

#include <algorithm>

#include "acl/acl_rt.h"
#include "base/device_memory.h"
#include "base/text.h"
#include "runtime/bad_parameter.h"
#include "runtime/memory/block_history.h"
#include "runtime/memory/blocks.h"
#include "runtime/memory/opaque_memory.h"

namespace belay {
namespace {

// Addresses that nothing backs: touching them faults. Replaces what is at `where` when `flags` has MAP_FIXED.
void* map_nothing(void* where, size_t bytes, int flags) {
  return mmap(where, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
}

uint32_t united(const std::map<Accessor, uint32_t>& access) {
  uint32_t all = 0;
  for (const auto& [who, flags] : access) all |= flags;
  return all;
}

Accessor own_device(const PhysicalMemory& memory) {
  if (memory.traits().device < 0) return {ACL_MEM_LOCATION_TYPE_HOST, 0};
  return {ACL_MEM_LOCATION_TYPE_DEVICE, static_cast<uint32_t>(memory.traits().device)};
}

template <class Map>
auto last_at_or_below(Map& map, const void* at) {
  auto after = map.upper_bound(static_cast<std::byte*>(const_cast<void*>(at)));
  return after == map.begin() ? map.end() : std::prev(after);
}

Status no_addresses(size_t size) {
  return {ACL_ERROR_RT_MEMORY_ALLOCATION, formatted("this process has no {} free addresses in a row", size)};
}

// The program's address of opaque memory is open to the host as far as the host was given access.
void open_to_host(const PhysicalMemory& memory, size_t offset, size_t size, std::byte* at, uint32_t access) {
  if (!is_opaque(at)) return;
  if (access == ACL_RT_MEM_ACCESS_FLAGS_NONE) return OpaqueMemory::hide(at, size);
  (void)OpaqueMemory::show(memory.file(), offset, size, at, access == ACL_RT_MEM_ACCESS_FLAGS_READWRITE);
}

bool is_host(const Accessor& who) { return who.type != ACL_MEM_LOCATION_TYPE_DEVICE; }

Status nothing_mapped(const void* at) { return bad_parameter(formatted("no physical memory is mapped at {}", at)); }

}  // namespace

void* VirtualMemory::keep(std::byte* start, size_t bytes) {
  reservations_[start].size = bytes;
  blocks().claim(start, bytes, -1, "reserved addresses");
  return start;
}

// Addresses of opaque memory are reserved already.
Result<void*> VirtualMemory::reserve_opaque(size_t bytes, size_t alignment) {
  std::byte* start = opaque_memory().take(bytes, alignment);
  if (!start) return no_addresses(bytes);
  block_history().reserved(
      {.base = start, .size = bytes, .kind = BlockKind::Unallocated, .owner = "aclrtReserveMemAddress"});
  std::lock_guard lock(mutex_);
  return keep(start, bytes);
}

Result<void*> VirtualMemory::reserve(size_t size, size_t alignment, void* wanted) {
  alignment = std::max(alignment, kHugePage);
  const size_t bytes = rounded_up(size, kPage);
  if (opaque_mode()) return reserve_opaque(bytes, alignment);
  void* whole = bytes > SIZE_MAX - alignment ? MAP_FAILED : map_nothing(wanted, bytes + alignment, 0);
  if (whole == MAP_FAILED) return no_addresses(size);
  auto* start = static_cast<std::byte*>(whole);
  const size_t before = (alignment - reinterpret_cast<uintptr_t>(start) % alignment) % alignment;
  if (before > 0) munmap(start, before);
  munmap(start + before + bytes, alignment - before);
  std::lock_guard lock(mutex_);
  return keep(start + before, bytes);
}

Status VirtualMemory::release(void* base) {
  std::lock_guard lock(mutex_);
  const auto found = reservations_.find(static_cast<std::byte*>(base));
  if (found == reservations_.end()) return bad_parameter(formatted("{} is not the start of reserved addresses", base));
  if (!found->second.mappings.empty())
    return bad_parameter(formatted("memory is still mapped at {}; unmap it first",
                                   static_cast<const void*>(found->second.mappings.begin()->first)));
  blocks().disclaim(found->first);
  if (is_opaque(base)) {
    block_history().released(base);
    opaque_memory().give(found->first);
  } else {
    munmap(base, found->second.size);
  }
  reservations_.erase(found);
  return {};
}

VirtualMemory::Reservation* VirtualMemory::around(const void* at, size_t size) {
  const auto found = last_at_or_below(reservations_, at);
  if (found == reservations_.end()) return nullptr;
  const auto inside = static_cast<size_t>(static_cast<const std::byte*>(at) - found->first);
  const size_t room = found->second.size;
  return inside < room && size <= room - inside ? &found->second : nullptr;
}

Status VirtualMemory::map(void* at, size_t size, size_t offset, std::shared_ptr<PhysicalMemory> memory,
                          uint32_t access) {
  std::lock_guard lock(mutex_);
  if (reinterpret_cast<uintptr_t>(at) % kPage != 0 || size % kPage != 0 || offset % kPage != 0)
    return bad_parameter(
        formatted("address {}, size {} and offset {} must be multiples of {}", at, size, offset, kPage));
  if (offset > memory->size() || size > memory->size() - offset)
    return bad_parameter(
        formatted("{} bytes from offset {} are more than the {} of the memory", size, offset, memory->size()));
  Reservation* reservation = around(at, size);
  if (!reservation) return bad_parameter(formatted("the {} bytes from {} do not lie in reserved addresses", size, at));
  auto* start = static_cast<std::byte*>(at);
  const auto next = reservation->mappings.lower_bound(start);
  const auto before = last_at_or_below(reservation->mappings, at);
  if ((next != reservation->mappings.end() && next->first < start + size) ||
      (before != reservation->mappings.end() && before->first + before->second.size > start))
    return bad_parameter(formatted("memory is mapped already within the {} bytes from {}", size, at));
  if (!memory->file().map(offset, size, host_view(at)))
    return {ACL_ERROR_RT_MEMORY_ALLOCATION, formatted("the host cannot map {} bytes", size)};
  blocks().add({.base = start,
                .size = size,
                .kind = BlockKind::Mapped,
                .device = memory->traits().device,
                .flags = access,
                .owner = "aclrtMapMem"});
  if (is_host(own_device(*memory))) open_to_host(*memory, offset, size, start, access);
  Mapping mapping{size, offset, memory, {{own_device(*memory), access}}};
  reservation->mappings.emplace(start, std::move(mapping));
  return {};
}

Status VirtualMemory::unmap(void* at) {
  std::lock_guard lock(mutex_);
  Reservation* reservation = around(at, 1);
  if (!reservation || !reservation->mappings.contains(static_cast<std::byte*>(at))) return nothing_mapped(at);
  const auto found = reservation->mappings.find(static_cast<std::byte*>(at));
  TRY(blocks().take(at, {BlockKind::Mapped}));
  if (is_opaque(at)) OpaqueMemory::unmap_view(found->first, found->second.size);
  map_nothing(at, found->second.size, MAP_FIXED);
  reservation->mappings.erase(found);
  return {};
}

Status VirtualMemory::set_access(void* at, size_t size, Accessor who, uint32_t access) {
  std::lock_guard lock(mutex_);
  Reservation* reservation = around(at, size);
  if (!reservation) return bad_parameter(formatted("the {} bytes from {} do not lie in reserved addresses", size, at));
  auto* start = static_cast<std::byte*>(at);
  const auto first = reservation->mappings.find(start);
  auto last = first;
  std::byte* end = start;
  for (; last != reservation->mappings.end() && last->first == end && end < start + size; ++last)
    end += last->second.size;
  if (end != start + size || size == 0)
    return bad_parameter(formatted("the {} bytes from {} are not made of whole mappings", size, at));
  for (auto mapping = first; mapping != last; ++mapping) {
    mapping->second.access[who] = access;
    if (is_host(who))
      open_to_host(*mapping->second.memory, mapping->second.offset, mapping->second.size, mapping->first, access);
    blocks().set_flags(mapping->first, united(mapping->second.access));
  }
  return {};
}

const VirtualMemory::Mapping* VirtualMemory::mapping_at(const void* at) const {
  const auto reservation = last_at_or_below(reservations_, at);
  if (reservation == reservations_.end()) return nullptr;
  const auto found = last_at_or_below(reservation->second.mappings, at);
  if (found == reservation->second.mappings.end()) return nullptr;
  return static_cast<const std::byte*>(at) < found->first + found->second.size ? &found->second : nullptr;
}

Result<uint32_t> VirtualMemory::access(const void* at, Accessor who) const {
  std::lock_guard lock(mutex_);
  const Mapping* mapping = mapping_at(at);
  if (!mapping) return nothing_mapped(at);
  const auto found = mapping->access.find(who);
  return found == mapping->access.end() ? uint32_t{ACL_RT_MEM_ACCESS_FLAGS_NONE} : found->second;
}

Result<std::shared_ptr<PhysicalMemory>> VirtualMemory::memory_at(const void* at) const {
  std::lock_guard lock(mutex_);
  const Mapping* mapping = mapping_at(at);
  if (!mapping) return nothing_mapped(at);
  return mapping->memory;
}

VirtualMemory& virtual_memory() {
  static auto& memory = *new VirtualMemory;
  return memory;
}

}  // namespace belay
