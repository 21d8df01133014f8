// SPDX-License-Identifier: Apache-2.0
#include "comm/windows.h"

#include <atomic>

#include "base/text.h"
#include "hccl/hccl_types.h"

namespace belay::comm {
namespace {

Status refuse(const char* why, uintptr_t base) {
  return {HCCL_E_PARA, formatted("{}: {}", reinterpret_cast<const void*>(base), why), "EI0003"};
}

}  // namespace

bool DeclaredMemory::inside(const Ranges& ranges, uintptr_t base, size_t size) {
  auto after = ranges.upper_bound(base);
  if (after == ranges.begin()) return false;
  const auto& [start, bytes] = *--after;
  return base + size <= start + bytes;
}

bool DeclaredMemory::overlaps(const Ranges& ranges, uintptr_t base, size_t size) {
  for (const auto& [start, bytes] : ranges)
    if (base < start + bytes && start < base + size) return true;
  return false;
}

Status DeclaredMemory::add_range(uintptr_t base, size_t size) {
  std::lock_guard lock(mutex_);
  if (overlaps(ranges_, base, size)) return refuse("a range that was set before overlaps it", base);
  ranges_[base] = size;
  return {};
}

Status DeclaredMemory::remove_range(uintptr_t base) {
  std::lock_guard lock(mutex_);
  const auto found = ranges_.find(base);
  if (found == ranges_.end()) return refuse("no range that was set begins here", base);
  if (overlaps(parts_, found->first, found->second)) return refuse("a part of the range is still active", base);
  ranges_.erase(found);
  return {};
}

Status DeclaredMemory::add_part(uintptr_t base, size_t size) {
  std::lock_guard lock(mutex_);
  if (!inside(ranges_, base, size)) return refuse("it lies in no range that was set with HcclCommSetMemoryRange", base);
  if (overlaps(parts_, base, size)) return refuse("a part that is active overlaps it", base);
  parts_[base] = size;
  return {};
}

Status DeclaredMemory::remove_part(uintptr_t base) {
  std::lock_guard lock(mutex_);
  return parts_.erase(base) ? Status{} : refuse("no active part begins here", base);
}

uint64_t DeclaredMemory::add_window(uintptr_t base, size_t size) {
  static std::atomic<uint64_t> next{1};
  std::lock_guard lock(mutex_);
  const uint64_t number = next++;
  windows_[number] = {base, size};
  return number;
}

bool DeclaredMemory::remove_window(uint64_t number) {
  std::lock_guard lock(mutex_);
  return windows_.erase(number) > 0;
}

bool DeclaredMemory::has_window(uint64_t number) const {
  std::lock_guard lock(mutex_);
  return windows_.contains(number);
}

DeclaredMemory::Found DeclaredMemory::find_window(uintptr_t address, size_t size) const {
  std::lock_guard lock(mutex_);
  for (const auto& [number, window] : windows_)
    if (window.base <= address && address + size <= window.base + window.size) return {number, address - window.base};
  return {};
}

}  // namespace belay::comm
