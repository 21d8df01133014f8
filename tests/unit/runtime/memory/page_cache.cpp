// SPDX-License-Identifier: Apache-2.0
#include "runtime/memory/page_cache.h"

#include <gtest/gtest.h>

#include "runtime/memory/blocks.h"
#include "runtime/memory/shared_file.h"

namespace belay {
namespace {

constexpr size_t kMiB = size_t{1} << 20;

TEST(PageCache, WhatWasGivenBackIsReused) {
  PageCache cache(16 * kMiB);
  std::byte* first = cache.take(kMiB);
  first[0] = std::byte{7};
  cache.give(first);
  EXPECT_EQ(cache.cached_bytes(), kMiB);
  EXPECT_EQ(cache.take(kMiB - 100), first);
  EXPECT_EQ(cache.mapped_bytes(first), kMiB);
  EXPECT_EQ(cache.cached_bytes(), 0u);
  cache.give(first);
  cache.trim();
}

TEST(PageCache, AMuchLargerPieceIsNotWastedOnASmallRequest) {
  PageCache cache(16 * kMiB);
  std::byte* large = cache.take(8 * kMiB);
  cache.give(large);
  std::byte* small = cache.take(kMiB);
  EXPECT_NE(small, large);
  EXPECT_EQ(cache.mapped_bytes(small), kMiB);
  cache.give(small);
  cache.trim();
}

TEST(PageCache, KeepsNoMoreThanItsBoundAndDropsTheOldest) {
  PageCache cache(3 * kMiB);
  std::byte* blocks[4];
  for (auto& block : blocks) block = cache.take(kMiB);
  for (auto& block : blocks) cache.give(block);
  EXPECT_EQ(cache.cached_bytes(), 3 * kMiB);
  EXPECT_EQ(belay::blocks().locate(blocks[0]).place, Place::Pageable);  // unmapped: no longer ours
  EXPECT_EQ(belay::blocks().locate(blocks[3]).place, Place::Unallocated);
  cache.trim();
  EXPECT_EQ(cache.cached_bytes(), 0u);
}

TEST(PageCache, LargePiecesStartAtHugePages) {
  PageCache cache(0);
  std::byte* block = cache.take(3 * kMiB);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % kHugePage, 0u);
  block[3 * kMiB - 1] = std::byte{1};
  cache.give(block);
  EXPECT_EQ(cache.cached_bytes(), 0u);
}

TEST(PageCache, AnImpossibleSizeGivesNull) {
  PageCache cache(0);
  EXPECT_EQ(cache.take(size_t{1} << 62), nullptr);
}

}  // namespace
}  // namespace belay
