// SPDX-License-Identifier: Apache-2.0
#include "runtime/memory/managed_ranges.h"

#include <algorithm>

#include "acl/acl_rt.h"
#include "base/text.h"
#include "runtime/memory/blocks.h"

namespace belay {
namespace {

struct Part {
  const void* base;
  size_t first, end;  // offsets in the block
};

Result<Part> find_part(const void* start, size_t bytes) {
  const Site site = blocks().locate(start);
  if (site.place != Place::Device || site.block.kind != BlockKind::Managed)
    return Status{ACL_ERROR_RT_PARAM_INVALID,
                  formatted("{} is {}, not memory from aclrtMemAllocManaged", start, blocks().describe(start))};
  TRY(blocks().check_range(site, start, bytes, "ptr"));
  const auto first = static_cast<size_t>(static_cast<const std::byte*>(start) - site.block.base);
  return Part{site.block.base, first, first + bytes};
}

}  // namespace

void ManagedRanges::cut(Pieces& pieces, size_t offset) {
  const auto after = pieces.upper_bound(offset);
  pieces.try_emplace(offset, after == pieces.begin() ? ManagedTraits{} : std::prev(after)->second);
}

Status ManagedRanges::change(const void* start, size_t bytes, const std::function<void(ManagedTraits&)>& change) {
  const Part part = TRY(find_part(start, bytes));
  std::lock_guard lock(mutex_);
  Pieces& pieces = blocks_[part.base];
  cut(pieces, 0);
  cut(pieces, part.first);
  cut(pieces, part.end);
  for (auto piece = pieces.find(part.first); piece->first < part.end; ++piece) change(piece->second);
  return {};
}

Result<std::vector<ManagedTraits>> ManagedRanges::traits(const void* start, size_t bytes) const {
  const Part part = TRY(find_part(start, bytes));
  std::lock_guard lock(mutex_);
  const auto block = blocks_.find(part.base);
  if (block == blocks_.end()) return std::vector<ManagedTraits>(1);
  std::vector<ManagedTraits> found;
  auto piece = std::prev(block->second.upper_bound(part.first));
  for (; piece != block->second.end() && piece->first < part.end; ++piece) found.push_back(piece->second);
  return found;
}

void ManagedRanges::forget(const void* base) {
  std::lock_guard lock(mutex_);
  blocks_.erase(base);
}

ManagedRanges& managed_ranges() {
  static auto& ranges = *new ManagedRanges;
  return ranges;
}

std::optional<ManagedPlace> common_place(const std::vector<ManagedTraits>& pieces, ManagedPlace ManagedTraits::*which) {
  const ManagedPlace first = pieces.front().*which;
  if (first.type == 0) return {};
  for (const ManagedTraits& piece : pieces)
    if (piece.*which != first) return {};
  return first;
}

std::set<int32_t> common_accessors(const std::vector<ManagedTraits>& pieces) {
  std::set<int32_t> common = pieces.front().accessed_by;
  for (const ManagedTraits& piece : pieces)
    std::erase_if(common, [&](int32_t id) { return !piece.accessed_by.contains(id); });
  return common;
}

}  // namespace belay
