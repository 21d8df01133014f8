// SPDX-License-Identifier: Apache-2.0
#include "executor/compile/arena_plan.h"

#include <gtest/gtest.h>

#include <random>

namespace belay::executor {
namespace {

bool overlap(const Block& a, const Block& b) {
  const bool lives = a.first <= b.last && b.first <= a.last;
  return lives && a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
}

TEST(ArenaPlan, BlocksThatDoNotMeetShareMemory) {
  std::vector<Block> blocks = {{100, 0, 1}, {100, 2, 3}, {100, 4, 5}};
  EXPECT_EQ(plan_arena(blocks), 128u);
  EXPECT_EQ(blocks[0].offset, blocks[2].offset);
}

TEST(ArenaPlan, BlocksThatMeetDoNotOverlap) {
  std::vector<Block> blocks = {{64, 0, 1}, {64, 1, 2}};
  EXPECT_EQ(plan_arena(blocks), 128u);
  EXPECT_NE(blocks[0].offset, blocks[1].offset);
}

TEST(ArenaPlan, EmptyBlocksNeedNothing) {
  std::vector<Block> blocks = {{0, 0, 9}, {0, 0, 9}};
  EXPECT_EQ(plan_arena(blocks), 0u);
}

// Lives as a network with residual connections has them: the bound is checked by adding up what lives at each step.
TEST(ArenaPlan, StaysWithinATenthOfTheLowerBound) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    std::vector<Block> blocks;
    for (int step = 0; step < 150; ++step) {
      const int life = random() % 8 == 0 ? 4 + static_cast<int>(random() % 8) : 1;
      blocks.push_back({size_t{64} << (random() % 8), step, step + life});
    }
    size_t most = 0;
    for (int step = 0; step < 170; ++step) {
      size_t live = 0;
      for (const Block& block : blocks)
        if (block.first <= step && step <= block.last) live += block.bytes;
      most = std::max(most, live);
    }
    const size_t total = plan_arena(blocks);
    EXPECT_EQ(least_arena(blocks), most);
    EXPECT_LE(static_cast<double>(total), 1.1 * static_cast<double>(most));
    for (size_t i = 0; i < blocks.size(); ++i)
      for (size_t j = i + 1; j < blocks.size(); ++j) ASSERT_FALSE(overlap(blocks[i], blocks[j]));
  }
}

}  // namespace
}  // namespace belay::executor
