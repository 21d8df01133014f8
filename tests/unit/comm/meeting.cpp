// SPDX-License-Identifier: Apache-2.0
#include "comm/meeting/meeting.h"

#include <gtest/gtest.h>

namespace belay::comm {
namespace {

// Three ranks that have come to the first round, and what each was told since.
class ThreeRanksHaveMet : public testing::Test {
 protected:
  ThreeRanksHaveMet() {
    for (uint32_t rank = 0; rank < 3; ++rank) {
      Member member = this_process();
      member.rank = rank;
      member.device = static_cast<int>(rank);
      post(rank, 0, member.text());
    }
  }
  void post(uint32_t rank, uint32_t round, const std::string& text) {
    meeting.post(rank, 3, round, text,
                 [this, rank](const Status& status, const Meeting::Texts&) { told[rank].push_back(status.message); });
  }

  Meeting meeting{"the test"};
  std::vector<std::string> told[3];
};

const std::string kEnded = "the ranks of the test cannot meet: rank 1 ended before all had come";

TEST_F(ThreeRanksHaveMet, AndHearAtOnceOfOneThatEndsBetweenRounds) {
  ASSERT_EQ(told[0].size(), 1u);
  EXPECT_EQ(told[0][0], "");
  meeting.lose(1);
  for (const uint32_t rank : {0u, 2u}) EXPECT_EQ(told[rank], (std::vector<std::string>{"", kEnded}));
  EXPECT_EQ(told[1].size(), 1u);
  EXPECT_EQ(meeting.failure().message, kEnded);
}

TEST_F(ThreeRanksHaveMet, AndOneThatWaitsHearsToo) {
  post(0, 1, "yes");
  meeting.lose(1, {4, "it has no memory", "EI0006"});
  post(2, 1, "yes");
  const std::string why = "the ranks of the test cannot meet: rank 1 gave up: it has no memory";
  EXPECT_EQ(told[0], (std::vector<std::string>{"", why}));
  EXPECT_EQ(told[2].back(), why);
}

TEST_F(ThreeRanksHaveMet, AndNobodyIsMissedWhenAllRoundsAreDone) {
  for (uint32_t round = 1; round <= Meeting::kLastRound; ++round)
    for (uint32_t rank = 0; rank < 3; ++rank) post(rank, round, "yes");
  meeting.lose(1);
  EXPECT_TRUE(meeting.failure().ok());
  EXPECT_EQ(told[0], std::vector<std::string>(4));
}

}  // namespace
}  // namespace belay::comm
