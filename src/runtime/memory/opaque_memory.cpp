// SPDX-License-Identifier: Apache-2.0
#include "runtime/memory/opaque_memory.h"

#include <sys/mman.h>

#include <algorithm>

#include "base/device_memory.h"
#include "runtime/memory/touch_report.h"

namespace belay {
namespace {

using device_memory_detail::window;

constexpr size_t kCommitStep = size_t{64} << 20;

std::byte* pointer(uintptr_t address) { return reinterpret_cast<std::byte*>(address); }
uintptr_t number(const std::byte* address) { return reinterpret_cast<uintptr_t>(address); }

size_t with_gap(size_t bytes) { return rounded_up(bytes, kPage) + kPage; }

bool map_file(const SharedFile& file, size_t offset, size_t bytes, std::byte* at, int protection) {
  return mmap(at, bytes, protection, MAP_SHARED | MAP_FIXED, file.fd(), static_cast<off_t>(offset)) != MAP_FAILED;
}

void map_plain(std::byte* at, size_t bytes, int protection) {
  (void)mmap(at, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

}  // namespace

// Nothing lies in the first huge page: who runs below the first block is found out as well.
OpaqueMemory::OpaqueMemory() : next_(window.start + kHugePage), committed_(window.start + kHugePage) {
  if (window.bytes == 0) return;
  free_.emplace(next_, window.bytes - kHugePage);
  report_touches();
}

std::byte* OpaqueMemory::take(size_t bytes, size_t alignment) {
  if (bytes > window.bytes) return nullptr;
  if (bytes >= kHugePage) alignment = std::max(alignment, kHugePage);
  const size_t whole = with_gap(bytes);
  std::lock_guard lock(mutex_);
  uintptr_t start = 0;
  if (!find(whole, alignment, next_, start) && !find(whole, alignment, window.start, start)) return nullptr;
  if (!commit(start + whole)) return nullptr;
  carve(start, whole);
  next_ = start + whole;
  taken_.emplace(pointer(start), whole - kPage);
  return pointer(start);
}

// The first place at or behind `from`.
bool OpaqueMemory::find(size_t bytes, size_t alignment, uintptr_t from, uintptr_t& start) const {
  auto range = free_.upper_bound(from);
  if (range != free_.begin()) --range;
  for (; range != free_.end(); ++range) {
    const uintptr_t end = range->first + range->second;
    start = rounded_up(std::max(range->first, from), alignment);
    if (start < end && end - start >= bytes) return true;
  }
  return false;
}

void OpaqueMemory::carve(uintptr_t start, size_t bytes) {
  const auto range = std::prev(free_.upper_bound(start));
  const uintptr_t first = range->first, end = first + range->second;
  free_.erase(range);
  if (first < start) free_.emplace(first, start - first);
  if (start + bytes < end) free_.emplace(start + bytes, end - start - bytes);
}

bool OpaqueMemory::commit(uintptr_t end) {
  if (end <= committed_) return true;
  const size_t bytes = std::min(rounded_up(end - committed_, kCommitStep), window.start + window.bytes - committed_);
  if (mprotect(host_view(pointer(committed_)), bytes, PROT_READ | PROT_WRITE) != 0) return false;
  committed_ += bytes;
  return true;
}

void OpaqueMemory::give(std::byte* base) {
  std::lock_guard lock(mutex_);
  const auto taken = taken_.extract(base);
  if (!taken) return;
  unmap_view(base, taken.mapped());
  uintptr_t start = number(base);
  size_t bytes = taken.mapped() + kPage;
  auto after = free_.upper_bound(start);
  if (after != free_.end() && after->first == start + bytes) {
    bytes += after->second;
    after = free_.erase(after);
  }
  if (after != free_.begin()) {
    const auto before = std::prev(after);
    if (before->first + before->second == start) {
      before->second += bytes;
      return;
    }
  }
  free_.emplace(start, bytes);
}

size_t OpaqueMemory::bytes_of(std::byte* base) const {
  std::lock_guard lock(mutex_);
  const auto found = taken_.find(base);
  return found == taken_.end() ? 0 : found->second;
}

bool OpaqueMemory::map_view(const SharedFile& file, size_t offset, size_t bytes, std::byte* at) {
  return map_file(file, offset, bytes, host_view(at), PROT_READ | PROT_WRITE);
}

void OpaqueMemory::unmap_view(std::byte* at, size_t bytes) { map_plain(host_view(at), bytes, PROT_READ | PROT_WRITE); }

bool OpaqueMemory::show(const SharedFile& file, size_t offset, size_t bytes, std::byte* at, bool writable) {
  return map_file(file, offset, bytes, at, writable ? PROT_READ | PROT_WRITE : PROT_READ);
}

void OpaqueMemory::hide(std::byte* at, size_t bytes) { map_plain(at, bytes, PROT_NONE); }

OpaqueMemory& opaque_memory() {
  static auto& memory = *new OpaqueMemory;
  return memory;
}

}  // namespace belay
