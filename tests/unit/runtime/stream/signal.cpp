// SPDX-License-Identifier: Apache-2.0
#include "runtime/stream/signal.h"

#include <gtest/gtest.h>

#include <thread>

namespace {

using namespace belay;
using namespace std::chrono_literals;

TEST(Signal, LetsEveryWaiterThroughForGood) {
  Signal signal;
  EXPECT_FALSE(signal.is_set());
  std::thread a([&] { EXPECT_TRUE(signal.wait()); }), b([&] { EXPECT_TRUE(signal.wait()); });
  signal.set();
  a.join();
  b.join();
  EXPECT_TRUE(signal.wait());
  signal.set();
  EXPECT_TRUE(signal.is_set());
}

TEST(Signal, GivesUpInTimeOrWhenToldTo) {
  Signal signal;
  EXPECT_FALSE(signal.wait(nullptr, 1ms));
  std::atomic<bool> stop{false};
  std::thread waiter([&] { EXPECT_FALSE(signal.wait(&stop)); });
  stop = true;
  signal.nudge();
  waiter.join();
}

TEST(Signal, ThatIsSetCountsEvenWhenToldToStop) {
  Signal signal;
  signal.set();
  const std::atomic<bool> stop{true};
  EXPECT_TRUE(signal.wait(&stop));
}

TEST(ParseTimeout, MinusOneIsForEverAndZeroIsRefused) {
  EXPECT_EQ(*parse_timeout(-1), Timeout());
  EXPECT_EQ(*parse_timeout(1), Timeout(1ms));
  EXPECT_EQ(*parse_timeout(INT32_MAX), Timeout(std::chrono::milliseconds(INT32_MAX)));
  for (const int bad : {0, -2, INT32_MIN}) EXPECT_EQ(parse_timeout(bad).status().code, ACL_ERROR_RT_PARAM_INVALID);
}

}  // namespace
