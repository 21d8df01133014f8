// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace belay {

// 128 bits that tell contents apart: equal by chance never, by intent perhaps.
struct ContentHash {
  uint64_t low = 0, high = 0;
  bool operator==(const ContentHash&) const = default;
};

ContentHash content_hash(std::span<const std::byte> bytes);

}  // namespace belay
