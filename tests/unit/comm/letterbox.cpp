// SPDX-License-Identifier: Apache-2.0
// Messages between two ranks of a process, where they lie until they are taken.
#include <gtest/gtest.h>

#include <thread>

#include "comm/waiting/board.h"

namespace {

using namespace belay::comm;

class Letters : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(board.sit(0, 0));
    ASSERT_TRUE(board.sit(1, 1));
  }
  static MessageId id(uint64_t number) { return {0, 1, number}; }
  static Offer offer(size_t bytes) { return {{Op::Send}, nullptr, bytes}; }

  Board board{"letters", 2};
};

TEST_F(Letters, AreThereOnceTheyAreLaid) {
  EXPECT_FALSE(board.pick(id(1)));
  board.lay(id(1), offer(8));
  EXPECT_FALSE(board.pick(id(2)));
  EXPECT_FALSE(board.pick({1, 0, 1}));
  ASSERT_TRUE(board.pick(id(1)));
  EXPECT_FALSE(board.is_taken(id(1)));
  EXPECT_FALSE(board.pick(id(1)));  // somebody reads it
  board.take(id(1));
  EXPECT_TRUE(board.is_taken(id(1)));
  board.end_offer(id(1));
  EXPECT_FALSE(board.is_taken(id(1)));
}

TEST_F(Letters, AreNotThereBeforeTheSenderIs) {
  Board empty{"empty", 2};
  ASSERT_TRUE(empty.sit(1, 1));
  EXPECT_FALSE(empty.pick(id(1)));
}

// The first lies in the box, the others beside it: none waits for another.
TEST_F(Letters, ThatLieTogetherAreTakenInAnyOrder) {
  for (uint64_t number = 1; number <= 4; ++number) board.lay(id(number), offer(number * 10));
  for (const uint64_t number : {3u, 1u, 4u, 2u}) {
    const auto picked = board.pick(id(number));
    ASSERT_TRUE(picked);
    EXPECT_EQ(picked->bytes, number * 10);
    board.put_back(id(number));
    ASSERT_TRUE(board.pick(id(number)));
    board.take(id(number));
    EXPECT_TRUE(board.is_taken(id(number)));
  }
  for (uint64_t number = 1; number <= 4; ++number) board.end_offer(id(number));
  board.lay(id(5), offer(50));
  EXPECT_EQ(board.pick(id(5))->bytes, 50u);
}

TEST_F(Letters, AreTakenBackAfterWhoReadsThem) {
  for (const uint64_t number : {1u, 2u}) {  // in the box and beside it
    board.lay(id(7), offer(1));
    board.lay(id(8), offer(1));
    const MessageId it = id(6 + number);
    ASSERT_TRUE(board.pick(it));
    std::thread sender([&] { board.end_offer(it); });
    std::this_thread::yield();
    board.put_back(it);
    sender.join();
    EXPECT_FALSE(board.pick(it));
    board.end_offer(id(9 - number));
  }
}

TEST_F(Letters, OfTwoThreadsComeOnceEach) {
  constexpr uint64_t kMessages = 20000;
  std::thread sender([&] {
    for (uint64_t number = 1; number <= kMessages; ++number) {
      board.lay(id(number), offer(number));
      while (!board.is_taken(id(number))) std::this_thread::yield();
      board.end_offer(id(number));
    }
  });
  for (uint64_t number = 1; number <= kMessages; ++number) {
    auto picked = board.pick(id(number));
    for (; !picked; picked = board.pick(id(number))) std::this_thread::yield();
    ASSERT_EQ(picked->bytes, number);
    board.take(id(number));
  }
  sender.join();
}

}  // namespace
