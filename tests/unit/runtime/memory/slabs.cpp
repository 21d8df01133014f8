// SPDX-License-Identifier: Apache-2.0
#include "runtime/memory/slabs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <random>

namespace belay {
namespace {

TEST(Slabs, BlocksAreAlignedTo64AndFrom512BytesOnTo512) {
  Slabs slabs(0);
  for (size_t bytes = 1; bytes <= Slabs::kLargest; bytes += bytes / 7 + 1) {
    std::byte* block = slabs.allocate(bytes);
    ASSERT_NE(block, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % (bytes >= 512 ? 512 : 64), 0u) << bytes;
    std::memset(block, 1, bytes);
  }
}

TEST(Slabs, LiveBlocksNeverOverlap) {
  std::mt19937 random(3);
  Slabs slabs(0);
  std::map<std::byte*, size_t> live;
  for (int step = 0; step < 30000; ++step) {
    if (live.size() > 2000 || (!live.empty() && random() % 3 == 0)) {
      auto victim = std::next(live.begin(), static_cast<long>(random() % live.size()));
      slabs.release(victim->first);
      live.erase(victim);
      continue;
    }
    const size_t bytes = 1 + random() % (random() % 4 == 0 ? Slabs::kLargest : 700);
    std::byte* block = slabs.allocate(bytes);
    ASSERT_NE(block, nullptr);
    const auto next = live.lower_bound(block);
    ASSERT_TRUE(next == live.end() || next->first >= block + bytes);
    ASSERT_TRUE(next == live.begin() || std::prev(next)->first + std::prev(next)->second <= block);
    live[block] = bytes;
  }
}

TEST(Slabs, FreedMemoryServesBlocksOfOtherSizes) {
  Slabs slabs(0);
  std::vector<std::byte*> small;
  for (int i = 0; i < 20000; ++i) small.push_back(slabs.allocate(64));
  std::byte* const lowest = *std::ranges::min_element(small);
  std::byte* const highest = *std::ranges::max_element(small);
  for (std::byte* block : small) slabs.release(block);
  std::byte* other = slabs.allocate(1024);
  EXPECT_GE(other, lowest);
  EXPECT_LE(other, highest);
}

TEST(Slabs, ABlockCanBeSeenThroughItsFile) {
  Slabs slabs(0);
  std::byte* block = slabs.allocate(100);
  std::memcpy(block, "seen through the file", 22);
  const auto backing = slabs.backing(block);
  ASSERT_NE(backing.file, nullptr);
  const std::byte* other = backing.file->map(0, rounded_up(backing.offset + 100, kPage));
  ASSERT_NE(other, nullptr);
  EXPECT_STREQ(reinterpret_cast<const char*>(other + backing.offset), "seen through the file");
}

}  // namespace
}  // namespace belay
