// SPDX-License-Identifier: Apache-2.0
#include "base/content_hash.h"

#include <algorithm>
#include <vector>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/threads/parallel.h"

namespace belay {

// Of parts and then of their hashes, so that threads can share the work.
ContentHash content_hash(std::span<const std::byte> bytes) {
  constexpr size_t part = 256 << 10;
  std::vector<XXH128_hash_t> hashes((bytes.size() + part - 1) / part);
  parallel_for(static_cast<int64_t>(hashes.size()), 4, [&](int64_t begin, int64_t end) {
    for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i)
      hashes[i] = XXH3_128bits(bytes.data() + i * part, std::min(part, bytes.size() - i * part));
  });
  const XXH128_hash_t all = XXH3_128bits(hashes.data(), hashes.size() * sizeof hashes[0]);
  return {all.low64, all.high64};
}

}  // namespace belay
