// SPDX-License-Identifier: Apache-2.0
#include "runtime/memory/blocks.h"

#include <algorithm>
#include <mutex>
#include <new>
#include <set>
#include <shared_mutex>

#include "acl/acl_rt.h"
#include "base/device_memory.h"
#include "base/strict.h"
#include "base/text.h"
#include "runtime/memory/block_history.h"
#include "runtime/memory/touch_report.h"

namespace belay {
namespace {

const char* noun(const Block& block) {
  switch (block.kind) {
    case BlockKind::Device:
      return "device memory";
    case BlockKind::Pool:
      return "device memory of a pool";
    case BlockKind::Managed:
      return "managed memory";
    case BlockKind::Mapped:
      return "mapped memory";
    case BlockKind::Imported:
      return "imported device memory";
    case BlockKind::Host:
      return "pinned host memory";
    case BlockKind::Registered:
      return "registered host memory";
    case BlockKind::Unallocated:
      return "unallocated memory";
  }
  return "memory";
}

const char* remedy(BlockKind kind) {
  switch (kind) {
    case BlockKind::Device:
    case BlockKind::Managed:
      return "free it with aclrtFree";
    case BlockKind::Pool:
      return "free it with aclrtMemPoolFreeAsync";
    case BlockKind::Mapped:
      return "unmap it with aclrtUnmapMem";
    case BlockKind::Imported:
      return "close it with aclrtIpcMemClose";
    case BlockKind::Host:
      return "free it with aclrtFreeHost";
    case BlockKind::Registered:
      return "end the registration with aclrtHostUnregister";
    case BlockKind::Unallocated:
      break;
  }
  return "pass an address that an allocation returned";
}

// "1024 bytes of device 0, from aclrtMalloc"
std::string particulars(const Block& block) {
  if (block.on_device()) return formatted("{} bytes of device {}, from {}", block.size, block.device, block.owner);
  return formatted("{} bytes, from {}", block.size, block.owner);
}

std::string described(const Block& block) { return formatted("{} ({})", noun(block), particulars(block)); }

Place place_of(const Block& block) {
  if (block.kind == BlockKind::Unallocated) return Place::Unallocated;
  return block.on_device() ? Place::Device : Place::Pinned;
}

// The program may have installed handlers since: nearly every call that has to do with memory comes by here.
void look_after_touches() {
  if (opaque_mode()) [[unlikely]]
    report_touches();
}

}  // namespace

void Blocks::add(const Block& block) {
  look_after_touches();
  if (is_opaque(block.base)) [[unlikely]]
    block_history().made(block);
  std::lock_guard lock(mutex_);
  live_.insert(block);
}

Status Blocks::add_foreign(const Block& block) {
  std::lock_guard lock(mutex_);
  if (live_.overlaps(block.base, block.size) || claimed_.overlaps(block.base, block.size) || is_opaque(block.base)) {
    const Site site = locate_locked(block.base);
    const std::string what = site.place == Place::Pageable ? "known memory further on" : described(site.block);
    return {ACL_ERROR_RT_PARAM_INVALID,
            formatted("the {} bytes from {} overlap {}", block.size, static_cast<const void*>(block.base), what)};
  }
  live_.insert(block);
  return {};
}

Result<Block> Blocks::take(const void* base, std::initializer_list<BlockKind> kinds) {
  std::lock_guard lock(mutex_);
  const Block* found = live_.find(base);
  const bool fits = found && found->base == base && std::ranges::find(kinds, found->kind) != kinds.end();
  if (!fits) return Status{ACL_ERROR_RT_PARAM_INVALID, why_not(base)};
  const Block block = *live_.erase(base);
  freed_[freed_count_++ % freed_.size()] = block;
  if (is_opaque(base)) [[unlikely]]
    block_history().ended(base);
  return block;
}

std::string Blocks::why_not(const void* base) const {
  if (const Block* found = live_.find(base)) {
    if (found->base != base)
      return formatted("{} is {} bytes inside {} that starts at {}; pass the start", base,
                       static_cast<const std::byte*>(base) - found->base, described(*found),
                       static_cast<const void*>(found->base));
    return formatted("{} is {}; {}", base, described(*found), remedy(found->kind));
  }
  const auto was = std::ranges::find(freed_, base, &Block::base);
  if (base && was != freed_.end()) return formatted("{} was freed already: it was {}", base, described(*was));
  if (const Block* claim = claim_around(base))
    return formatted("{} lies in {} where no block is allocated: it was freed already, or never returned", base,
                     claim->owner);
  return formatted("{} is not memory that this library allocated; ordinary host memory is freed the way it was made",
                   base);
}

void Blocks::claim(std::byte* base, size_t size, int device, const char* what) {
  std::lock_guard lock(mutex_);
  claimed_.insert({.base = base, .size = size, .kind = BlockKind::Unallocated, .device = device, .owner = what});
}

void Blocks::disclaim(std::byte* base) {
  std::lock_guard lock(mutex_);
  claimed_.erase(base);
}

// All addresses of opaque memory are ours.
const Block* Blocks::claim_around(const void* address) const {
  static const Block opaque{.kind = BlockKind::Unallocated, .owner = "the memory of the devices"};
  if (const Block* found = claimed_.find(address)) return found;
  return is_opaque(address) ? &opaque : nullptr;
}

Site Blocks::locate_locked(const void* address) const {
  if (const Block* found = live_.find(address)) return {place_of(*found), *found};
  if (const Block* found = claim_around(address)) return {Place::Unallocated, *found};
  return {};
}

Site Blocks::locate(const void* address) const {
  look_after_touches();
  std::shared_lock lock(mutex_);
  return locate_locked(address);
}

void Blocks::set_flags(const void* base, uint32_t flags) {
  std::lock_guard lock(mutex_);
  auto block = live_.erase(base);
  if (!block) return;
  block->flags = flags;
  live_.insert(*block);
}

// Neighbouring mappings of one reservation are one piece of memory to the program.
Status Blocks::check_mapped(Block block, const void* start, size_t bytes, const char* parameter, Use use) const {
  std::shared_lock lock(mutex_);
  const uint32_t needed = use == Use::Read ? ACL_RT_MEM_ACCESS_FLAGS_READ : ACL_RT_MEM_ACCESS_FLAGS_READWRITE;
  const auto* end = static_cast<const std::byte*>(start) + bytes;
  while (true) {
    if ((block.flags & needed) != needed)
      return {ACL_ERROR_RT_PARAM_INVALID,
              formatted("{} = {}: {} is mapped {}; aclrtMemSetAccess gives access", parameter, start, described(block),
                        block.flags == 0 ? "without access" : "for reading only")};
    if (block.end() >= end || strict_mode()) return {};
    const Block* next = live_.find(block.end());
    if (!next || next->kind != BlockKind::Mapped) break;
    block = *next;
  }
  return {ACL_ERROR_RT_PARAM_INVALID,
          formatted("{} = {} has room for {} bytes, not for {}: the mapped memory ends there", parameter, start,
                    block.end() - static_cast<const std::byte*>(start), bytes)};
}

Status Blocks::check_range(const Site& site, const void* start, size_t bytes, const char* parameter, Use use) const {
  if (site.place == Place::Pageable) return {};
  if (site.place == Place::Unallocated)
    return {ACL_ERROR_RT_PARAM_INVALID,
            formatted("{} = {} lies in {} where no block is allocated; it may have been freed", parameter, start,
                      site.block.owner)};
  if (site.block.kind == BlockKind::Mapped) return check_mapped(site.block, start, bytes, parameter, use);
  const auto* from = static_cast<const std::byte*>(start);
  const auto room = static_cast<size_t>(site.block.end() - from);
  if (bytes <= room || strict_mode()) return {};
  return {ACL_ERROR_RT_PARAM_INVALID,
          formatted("{} = {} has room for {} bytes, not for {}: it lies {} bytes inside {}", parameter, start, room,
                    bytes, from - site.block.base, described(site.block))};
}

std::string Blocks::describe(const void* address) const {
  const Site site = locate(address);
  if (site.place == Place::Pageable) return "ordinary host memory";
  if (site.place == Place::Unallocated) return formatted("unallocated memory in {}", site.block.owner);
  return described(site.block);
}

// In the child the lock still belongs to the parent's thread, which cannot be asked to unlock it.
void Blocks::after_fork(bool child) {
  if (child)
    new (&mutex_) ManyReaders;
  else
    mutex_.unlock();
}

Blocks& blocks() {
  static Blocks& all = *new Blocks;
  return all;
}

const char* lasting_owner(std::string_view text) {
  static std::mutex& mutex = *new std::mutex;
  static auto& texts = *new std::set<std::string, std::less<>>;
  std::lock_guard lock(mutex);
  auto found = texts.find(text);
  if (found == texts.end()) found = texts.emplace(text).first;
  return found->c_str();
}

}  // namespace belay
