// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

#include "base/status.h"

namespace belay {

// Where managed memory should be or was moved: an aclrtMemManagedLocation.
struct ManagedPlace {
  uint32_t type = 0;  // 0: nowhere
  int32_t id = 0;
  bool operator==(const ManagedPlace&) const = default;
};

// What the program has said about a piece of managed memory. Host and devices see the same memory here, so that this is
// remembered and answered, and changes nothing else.
struct ManagedTraits {
  bool read_mostly = false;
  ManagedPlace preferred;
  ManagedPlace last_prefetch;
  std::set<int32_t> accessed_by;  // device ids; -1: the host
};

// The traits of all managed blocks, piece by piece. Safe from any thread.
class ManagedRanges {
 public:
  // 107000 unless the bytes lie in one managed block.
  Status change(const void* start, size_t bytes, const std::function<void(ManagedTraits&)>& change);
  // The traits of each piece of the range, in order; at least one.
  Result<std::vector<ManagedTraits>> traits(const void* start, size_t bytes) const;
  // The block is gone.
  void forget(const void* base);

 private:
  // From an offset in the block up to the next one.
  using Pieces = std::map<size_t, ManagedTraits>;
  static void cut(Pieces& pieces, size_t offset);

  mutable std::mutex mutex_;
  std::map<const void*, Pieces> blocks_;  // guarded by mutex_; blocks nothing was said about are not here
};

ManagedRanges& managed_ranges();

// What all pieces of a range have in common: a place when they agree on one.
std::optional<ManagedPlace> common_place(const std::vector<ManagedTraits>& pieces, ManagedPlace ManagedTraits::*which);
std::set<int32_t> common_accessors(const std::vector<ManagedTraits>& pieces);

}  // namespace belay
