// SPDX-License-Identifier: Apache-2.0
#include "base/threads/many_readers.h"

#include <gtest/gtest.h>

#include <shared_mutex>
#include <thread>
#include <vector>

namespace {

using belay::ManyReaders;

TEST(ManyReaders, AreInsideTogether) {
  ManyReaders lock;
  std::shared_lock mine(lock);
  std::thread([&] { std::shared_lock theirs(lock); }).join();
}

// Two numbers that a writer changes one after the other: whoever reads finds them equal.
TEST(ManyReaders, SeeNothingHalfWritten) {
  ManyReaders lock;
  int first = 0, second = 0;
  constexpr int kWriters = 2, kReaders = 40, kTimes = 500;  // more readers than slots
  std::vector<std::thread> all;
  for (int i = 0; i < kWriters; ++i)
    all.emplace_back([&] {
      for (int n = 0; n < kTimes; ++n) {
        std::lock_guard writing(lock);
        ++first;
        std::this_thread::yield();
        ++second;
      }
    });
  for (int i = 0; i < kReaders; ++i)
    all.emplace_back([&] {
      for (int n = 0; n < kTimes; ++n) {
        std::shared_lock reading(lock);
        EXPECT_EQ(first, second);
      }
    });
  for (auto& thread : all) thread.join();
  EXPECT_EQ(first, kWriters * kTimes);
}

}  // namespace
