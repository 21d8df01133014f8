// SPDX-License-Identifier: Apache-2.0
#include "dump/writing/buffers.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace belay::dump {
namespace {

TEST(BufferPool, CountsWhatIsHeldUntilTheLastHolderLetsGo) {
  BufferPool pool(1000);
  auto first = pool.reserve(600).take(500);
  EXPECT_EQ(pool.used(), 500u);  // what the reservation did not spend is back
  auto second = first;
  first.reset();
  EXPECT_EQ(pool.used(), 500u);
  second.reset();
  EXPECT_EQ(pool.used(), 0u);
}

TEST(BufferPool, RefusesWithoutWaitingWhenThereIsNoRoom) {
  BufferPool pool(100);
  ASSERT_TRUE(pool.try_reserve(80));
  auto held = pool.granted(80).take_rest();
  EXPECT_FALSE(pool.try_reserve(21));
  ASSERT_TRUE(pool.try_reserve(20));
  (void)pool.granted(20);  // gives back at once
  held.reset();
  EXPECT_TRUE(pool.try_reserve(100));
}

TEST(BufferPool, WhatIsLargerThanTheLimitPassesAlone) {
  BufferPool pool(100);
  auto large = pool.reserve(5000).take(5000);
  EXPECT_FALSE(pool.try_reserve(1));
  std::atomic<bool> passed{false};
  std::thread waiter([&] {
    auto another = pool.reserve(7000).take(7000);
    passed = true;
  });
  while (pool.waits() == 0) std::this_thread::yield();
  EXPECT_FALSE(passed);
  large.reset();
  waiter.join();
  EXPECT_TRUE(passed);
  EXPECT_EQ(pool.used(), 0u);
}

TEST(BufferPool, ManyThreadsNeverExceedTheLimitAndAllGetTheirTurn) {
  constexpr size_t limit = 10000;
  BufferPool pool(limit);
  std::atomic<bool> exceeded{false};
  std::vector<std::thread> threads;
  for (size_t t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (size_t i = 0; i < 500; ++i) {
        const size_t bytes = 1 + (t * 131 + i * 977) % limit;
        auto room = pool.reserve(bytes);
        auto memory = room.take(bytes);
        memory.get()[bytes - 1] = std::byte{1};
        if (pool.used() > limit) exceeded = true;
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_FALSE(exceeded);
  EXPECT_EQ(pool.used(), 0u);
}

}  // namespace
}  // namespace belay::dump
