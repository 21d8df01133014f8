// SPDX-License-Identifier: Apache-2.0
#include "runtime/memory/block_history.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace belay {
namespace {

constexpr size_t kUnit = 4096;

std::byte* at(size_t page, size_t offset = 0) {
  return reinterpret_cast<std::byte*>((size_t{1} << 40) + page * kUnit + offset);
}
Block block(size_t page, size_t bytes = 1000) { return {.base = at(page), .size = bytes, .device = 0, .owner = ""}; }

struct Found {
  Whereabouts where;
  const std::byte* base;
  bool operator==(const Found&) const = default;
};
Found find(const BlockHistory& history, const std::byte* address) {
  PastBlock found;
  const Whereabouts where = history.find(address, found);
  return {where, found.block.base};
}

TEST(BlockHistory, TheNearestBlockIsNamed) {
  BlockHistory history;
  history.made(block(10));
  history.made(block(12));
  EXPECT_EQ(find(history, at(10, 999)), (Found{Whereabouts::Inside, at(10)}));
  EXPECT_EQ(find(history, at(10, 1000)), (Found{Whereabouts::Past, at(10)}));
  EXPECT_EQ(find(history, at(11, 2000)), (Found{Whereabouts::Below, at(12)}));
  EXPECT_EQ(find(history, at(9)), (Found{Whereabouts::Below, at(10)}));
  EXPECT_EQ(find(history, at(13)), (Found{Whereabouts::Past, at(12)}));
  EXPECT_EQ(find(history, at(10000)), (Found{Whereabouts::Nowhere, nullptr}));
}

TEST(BlockHistory, ReservedAddressesAreNotNearABlock) {
  BlockHistory history;
  history.made(block(1));
  history.reserved(block(3, 100 * kUnit));
  EXPECT_EQ(find(history, at(3)), (Found{Whereabouts::Reserved, at(3)}));
  history.made(block(5));  // mapped there
  EXPECT_EQ(find(history, at(5)), (Found{Whereabouts::Inside, at(5)}));
  EXPECT_EQ(find(history, at(6)), (Found{Whereabouts::Reserved, at(3)}));
  history.released(at(3));
  PastBlock found;
  EXPECT_EQ(history.find(at(7), found), Whereabouts::Reserved);
  EXPECT_NE(found.ended.stack, nullptr);
}

TEST(BlockHistory, WhatIsForgottenIsNotTakenForItsNeighbour) {
  BlockHistory history(2);
  for (const size_t page : {1, 3, 5, 7, 9}) history.made(block(page));
  for (const size_t page : {3, 5, 9, 7}) history.ended(at(page));
  EXPECT_EQ(find(history, at(3)).where, Whereabouts::Forgotten);
  EXPECT_EQ(find(history, at(5, 999)).where, Whereabouts::Forgotten);
  EXPECT_EQ(find(history, at(9)), (Found{Whereabouts::Inside, at(9)}));
  history.made(block(5, 100));
  EXPECT_EQ(find(history, at(5, 5)), (Found{Whereabouts::Inside, at(5)}));
  EXPECT_EQ(find(history, at(3)).where, Whereabouts::Forgotten);
}

// Against a list of what each page was last.
TEST(BlockHistory, EveryPageIsWhatItWasLast) {
  enum class Page { Never, Live, Ended };
  constexpr size_t kMost = 7, kPages = 40;
  BlockHistory history(kMost);
  std::vector<Page> pages(kPages, Page::Never);
  std::mt19937 random(3);
  for (int i = 0; i < 5000; ++i) {
    const size_t page = random() % kPages;
    if (pages[page] == Page::Live) {
      history.ended(at(page));
      pages[page] = Page::Ended;
    } else {
      history.made(block(page, kUnit));
      pages[page] = Page::Live;
    }
    const size_t look = random() % kPages;
    const Found found = find(history, at(look, random() % kUnit));
    if (pages[look] == Page::Live) {
      EXPECT_EQ(found, (Found{Whereabouts::Inside, at(look)})) << i;
    }
    if (pages[look] == Page::Ended) {
      const bool named = found == Found{Whereabouts::Inside, at(look)};
      EXPECT_TRUE(named || found.where == Whereabouts::Forgotten) << i << ": page " << look;
    }
    EXPECT_TRUE(found.where != Whereabouts::Inside || found.base == at(look)) << i;
  }
}

}  // namespace
}  // namespace belay
