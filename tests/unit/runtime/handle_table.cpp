// SPDX-License-Identifier: Apache-2.0
#include "runtime/handle_table.h"

#include <gtest/gtest.h>

#include <future>
#include <set>

namespace {

using belay::HandleTable;

TEST(HandleTable, FindsWhatIsInAndForgetsWhatIsOut) {
  HandleTable<int> table(1);
  void* handle = table.insert(std::make_shared<int>(7));
  ASSERT_NE(handle, nullptr);
  EXPECT_EQ(*table.find(handle), 7);
  EXPECT_EQ(*table.remove(handle), 7);
  EXPECT_EQ(table.find(handle), nullptr);
  EXPECT_EQ(table.remove(handle), nullptr);
  EXPECT_EQ(table.find(nullptr), nullptr);
  EXPECT_EQ(table.find(&table), nullptr);
}

TEST(HandleTable, NeverGivesAHandleTwiceAndKeepsKindsApart) {
  HandleTable<int> table(1), other(2);
  std::set<void*> seen;
  for (int i = 0; i < 1000; ++i) {
    void* handle = table.insert(std::make_shared<int>(i));
    EXPECT_TRUE(seen.insert(handle).second);
    EXPECT_EQ(other.find(handle), nullptr);
    table.remove(handle);
  }
  EXPECT_FALSE(seen.contains(other.insert(std::make_shared<int>(1))));
}

TEST(HandleTable, APinnedObjectOutlivesItsHandle) {
  HandleTable<int> table(1);
  void* handle = table.insert(std::make_shared<int>(7));
  const auto pinned = table.find(handle);
  table.remove(handle);
  EXPECT_EQ(*pinned, 7);
}

TEST(HandleTable, OfManyRemoversOneWins) {
  HandleTable<int> table(1);
  for (int turn = 0; turn < 200; ++turn) {
    void* handle = table.insert(std::make_shared<int>(turn));
    auto remove = [&] { return table.remove(handle) != nullptr; };
    auto other = std::async(std::launch::async, remove);
    EXPECT_EQ(remove() + other.get(), 1);
  }
}

TEST(HandleTable, ListsAllThatLive) {
  HandleTable<int> table(1);
  void* gone = table.insert(std::make_shared<int>(1));
  table.insert(std::make_shared<int>(2));
  table.insert(std::make_shared<int>(3));
  table.remove(gone);
  std::multiset<int> values;
  for (const auto& object : table.all()) values.insert(*object);
  EXPECT_EQ(values, (std::multiset<int>{2, 3}));
}

}  // namespace
