// SPDX-License-Identifier: Apache-2.0
#include "runtime/memory/page_cache.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "runtime/memory/blocks.h"
#include "runtime/memory/shared_file.h"

namespace belay {
namespace {

constexpr const char* kClaim = "large memory of this library";

std::byte* map_plain(size_t bytes) {
  void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return at == MAP_FAILED ? nullptr : static_cast<std::byte*>(at);
}

// Maps a huge page more than needed and cuts off what is not aligned.
std::byte* map_huge(size_t bytes) {
  std::byte* whole = map_plain(bytes + kHugePage);
  if (!whole) return nullptr;
  const size_t before = (kHugePage - reinterpret_cast<uintptr_t>(whole) % kHugePage) % kHugePage;
  if (before > 0) munmap(whole, before);
  munmap(whole + before + bytes, kHugePage - before);
  madvise(whole + before, bytes, MADV_HUGEPAGE);
  return whole + before;
}

std::byte* map(size_t bytes) { return bytes >= kHugePage ? map_huge(bytes) : map_plain(bytes); }

void unmap(std::byte* base, size_t bytes) {
  blocks().disclaim(base);
  munmap(base, bytes);
}

}  // namespace

std::byte* PageCache::take(size_t bytes) {
  bytes = rounded_up(bytes, kPage);
  std::lock_guard lock(mutex_);
  if (std::byte* base = reuse(bytes)) return base;
  std::byte* base = map(bytes);
  while (!base && !kept_.empty()) {
    drop_oldest();
    base = map(bytes);
  }
  if (!base) return nullptr;
  blocks().claim(base, bytes, -1, kClaim);
  taken_.emplace(base, bytes);
  return base;
}

// A kept piece may be an eighth larger than asked for.
std::byte* PageCache::reuse(size_t bytes) {
  const auto found = by_size_.lower_bound(bytes);
  if (found == by_size_.end() || found->first > bytes + bytes / 8) return nullptr;
  const auto kept = kept_.find(found->second);
  const Kept piece = kept->second;
  kept_.erase(kept);
  by_size_.erase(found);
  kept_bytes_ -= piece.bytes;
  taken_.emplace(piece.base, piece.bytes);
  return piece.base;
}

void PageCache::give(std::byte* base) {
  std::lock_guard lock(mutex_);
  const auto taken = taken_.extract(base);
  const size_t bytes = taken.mapped();
  kept_.emplace(next_age_, Kept{base, bytes});
  by_size_.emplace(bytes, next_age_++);
  kept_bytes_ += bytes;
  while (kept_bytes_ > bound_) drop_oldest();
}

void PageCache::give_shared(std::byte* base) {
  std::lock_guard lock(mutex_);
  unmap(base, taken_.extract(base).mapped());
}

void PageCache::drop_oldest() {
  const auto oldest = kept_.begin();
  const Kept piece = oldest->second;
  const auto [first, last] = by_size_.equal_range(piece.bytes);
  by_size_.erase(std::find_if(first, last, [&](const auto& entry) { return entry.second == oldest->first; }));
  kept_.erase(oldest);
  kept_bytes_ -= piece.bytes;
  unmap(piece.base, piece.bytes);
}

void PageCache::trim() {
  std::lock_guard lock(mutex_);
  while (!kept_.empty()) drop_oldest();
}

size_t PageCache::cached_bytes() const {
  std::lock_guard lock(mutex_);
  return kept_bytes_;
}

size_t PageCache::mapped_bytes(std::byte* base) const {
  std::lock_guard lock(mutex_);
  const auto found = taken_.find(base);
  return found == taken_.end() ? 0 : found->second;
}

PageCache& page_cache() {
  static PageCache& cache = *[] {
    const auto host = static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * kPage;
    return new PageCache(std::min(size_t{1} << 30, host / 16));
  }();
  return cache;
}

}  // namespace belay
