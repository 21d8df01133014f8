// SPDX-License-Identifier: Apache-2.0
#include "runtime/memory/block_index.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace belay {
namespace {

std::byte* at(uintptr_t address) { return reinterpret_cast<std::byte*>(address); }

Block block(uintptr_t base, size_t size) { return {.base = at(base), .size = size}; }

TEST(BlockIndex, AnAddressIsFoundFromTheFirstByteToTheLast) {
  BlockIndex index;
  index.insert(block(0x1000, 16));
  EXPECT_EQ(index.find(at(0xfff)), nullptr);
  ASSERT_NE(index.find(at(0x1000)), nullptr);
  ASSERT_NE(index.find(at(0x100f)), nullptr);
  EXPECT_EQ(index.find(at(0x100f))->base, at(0x1000));
  EXPECT_EQ(index.find(at(0x1010)), nullptr);
}

TEST(BlockIndex, OnlyTheStartOfABlockErasesIt) {
  BlockIndex index;
  index.insert(block(0x1000, 16));
  EXPECT_FALSE(index.erase(at(0x1001)));
  EXPECT_TRUE(index.erase(at(0x1000)));
  EXPECT_FALSE(index.erase(at(0x1000)));
  EXPECT_TRUE(index.empty());
}

TEST(BlockIndex, OverlapIsSeenAtBothEndsAndAround) {
  BlockIndex index;
  index.insert(block(0x1000, 16));
  EXPECT_TRUE(index.overlaps(at(0xff0), 17));
  EXPECT_FALSE(index.overlaps(at(0xff0), 16));
  EXPECT_TRUE(index.overlaps(at(0x100f), 1));
  EXPECT_FALSE(index.overlaps(at(0x1010), 100));
  EXPECT_TRUE(index.overlaps(at(0x800), 0x1000));
}

// The oracle is std::map: the block at or below an address, if it reaches that far.
TEST(BlockIndex, AgreesWithAnOrderedMapOverRandomInsertionsAndErasures) {
  std::mt19937 random(7);
  BlockIndex index;
  std::map<uintptr_t, size_t> truth;
  const auto in_truth = [&](uintptr_t address) -> uintptr_t {
    auto after = truth.upper_bound(address);
    if (after == truth.begin()) return 0;
    --after;
    return address - after->first < after->second ? after->first : 0;
  };
  for (int step = 0; step < 40000; ++step) {
    const uintptr_t slot = 0x10000 + random() % 3000 * 0x100;
    if (truth.contains(slot)) {
      ASSERT_TRUE(index.erase(at(slot)));
      truth.erase(slot);
    } else {
      const size_t size = 1 + random() % 0x100;
      index.insert(block(slot, size));
      truth[slot] = size;
    }
    const uintptr_t probe = 0x10000 - 0x100 + random() % (3002 * 0x100);
    const Block* found = index.find(at(probe));
    ASSERT_EQ(found ? reinterpret_cast<uintptr_t>(found->base) : 0, in_truth(probe));
    ASSERT_EQ(index.size(), truth.size());
  }
}

}  // namespace
}  // namespace belay
