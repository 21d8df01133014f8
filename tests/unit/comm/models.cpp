// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "comm/creation.h"

namespace belay::comm {
namespace {

std::vector<CommunicatorPtr> two_ranks() { return make_all({{0, 0, 0}, {1, 1, 1}}, {}).value(); }

// A rank that has run no model has no twin, and the others' must learn all the same that it is gone.
TEST(ForModels, ARankThatHasLeftIsGoneThereToo) {
  const auto ranks = two_ranks();
  ranks[0]->leave();
  const auto twin = for_models(*ranks[1]).value();
  EXPECT_TRUE(twin->board().seat(0).left);
  EXPECT_FALSE(twin->board().seat(1).left);
}

TEST(ForModels, ARankThatLeavesIsGoneThereToo) {
  const auto ranks = two_ranks();
  const auto twin = for_models(*ranks[1]).value();
  EXPECT_FALSE(twin->board().seat(0).left);
  ranks[0]->leave();
  EXPECT_TRUE(twin->board().seat(0).left);
}

}  // namespace
}  // namespace belay::comm
