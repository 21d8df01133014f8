// SPDX-License-Identifier: Apache-2.0
#include "comm/count_arrays.h"

#include <gtest/gtest.h>

#include <thread>

#include "comm/waiting/board.h"

namespace belay::comm {
namespace {

Work gathering(uint64_t first) {
  Work work;
  work.call.op = Op::AllGatherV;
  work.take = {{0, first}, {7, 0}, {first, 3}};
  work.call.arrays = hash_of_arrays(work);
  return work;
}

TEST(CountArrays, AreCountsAndThenDisplacementsWithoutThoseOfNothing) {
  EXPECT_EQ(count_arrays(gathering(5)), (std::vector<uint64_t>{5, 0, 3, 0, 0, 5}));
  Work elsewhere = gathering(5);
  elsewhere.take[1].offset = 1000;
  EXPECT_EQ(hash_of_arrays(elsewhere), hash_of_arrays(gathering(5)));
  EXPECT_NE(hash_of_arrays(gathering(6)), hash_of_arrays(gathering(5)));
}

TEST(CountArrays, OfOperationsWithoutThemAreEmpty) {
  Work work;
  work.call.op = Op::AlltoAllV;
  work.give = work.take = {{0, 1}, {1, 1}};
  EXPECT_TRUE(count_arrays(work).empty());
  EXPECT_EQ(hash_of_arrays(work), 0u);
}

TEST(CountArrays, TheirFirstDifferenceIsNamed) {
  const auto& calls = array_names(false);
  const std::vector<uint64_t> mine{1, 2, 3, 4};
  const auto count = difference(Op::ReduceScatterV, 2, calls, mine, {1, 9, 3, 8});
  ASSERT_TRUE(count);
  EXPECT_EQ(count->parameter, "sendCounts[1]");
  EXPECT_EQ(count->mine + " " + count->theirs, "2 9");
  EXPECT_EQ(difference(Op::AllGatherV, 2, calls, mine, {1, 2, 3, 8})->parameter, "recvDispls[1]");
  EXPECT_EQ(difference(Op::AlltoAllVC, 2, array_names(true), mine, {1, 2, 0, 4})->parameter,
            "send_count_matrix[2], from rank 1 to rank 0,");
  EXPECT_FALSE(difference(Op::AllGatherV, 2, calls, mine, mine));
  EXPECT_FALSE(difference(Op::AllGatherV, 2, calls, mine, {}));  // not known any more
}

TEST(CountArrays, OfARankAreThereUntilItIsTwoOperationsAhead) {
  Board board("one", 2);
  ASSERT_TRUE(board.sit(0, 0));
  board.seat(0).show(4, gathering(5));
  EXPECT_EQ(board.arrays_of(0, 4), count_arrays(gathering(5)));
  EXPECT_TRUE(board.arrays_of(0, 5).empty());
  board.seat(0).show(5, gathering(6));
  EXPECT_EQ(board.arrays_of(0, 4), count_arrays(gathering(5)));
  board.seat(0).show(6, Work{});
  EXPECT_TRUE(board.arrays_of(0, 4).empty());
}

// What is asked for is never half of one and half of another.
TEST(CountArrays, CanBeAskedForWhileTheRankGoesOn) {
  Board board("one", 2);
  ASSERT_TRUE(board.sit(0, 0));
  std::atomic<uint64_t> shown{0};
  std::thread rank([&] {
    for (uint64_t number = 1; number <= 20000; ++number) {
      board.seat(0).show(number, gathering(number));
      shown = number;
    }
  });
  for (uint64_t number; (number = shown) < 20000;) {
    const auto arrays = number ? board.arrays_of(0, number) : std::vector<uint64_t>{};
    if (arrays.empty()) continue;
    EXPECT_EQ(arrays, count_arrays(gathering(number)));
  }
  rank.join();
  EXPECT_EQ(board.arrays_of(0, 20000), count_arrays(gathering(20000)));
}

}  // namespace
}  // namespace belay::comm
