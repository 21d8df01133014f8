// SPDX-License-Identifier: Apache-2.0
#include "comm/waiting/waits.h"

#include <gtest/gtest.h>

namespace belay::comm {
namespace {

// Rank 1 is of this process; rank 0, of another, waits for it in operation 1, and says so by a trail.
class ARankElsewhereWaits : public testing::Test {
 protected:
  ARankElsewhereWaits() {
    board.sit(1, 1);
    board.seat(1).issued.last = 2;
    board.seat(1).issued.stream = stream;
  }
  size_t waits_behind_it(uint64_t number) {
    const auto entry = waits.add({&board, &key, stream, 1, 0, Call{}, number, std::chrono::steady_clock::now()});
    const size_t onward = waits.follow_trail(board, {"other", 7, {}, key, 1, 1, {}}, "this").size();
    waits.remove(entry);
    return onward;
  }

  Stream* const stream = reinterpret_cast<Stream*>(this);  // compared only
  const std::string key = "key";
  Board board{"name", 2};
  Waits waits;
};

TEST_F(ARankElsewhereWaits, ForOneWhoseStreamIsHeldUpBeforeThatOperation) { EXPECT_EQ(waits_behind_it(2), 1u); }

TEST_F(ARankElsewhereWaits, ForNothingButWhatIsOnItsWayFromOneThatHasGoneOn) {
  board.seat(1).finished = 1;
  EXPECT_EQ(waits_behind_it(2), 0u);
}

}  // namespace
}  // namespace belay::comm
