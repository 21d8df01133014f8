// SPDX-License-Identifier: Apache-2.0
#include "base/closest.h"

#include <gtest/gtest.h>

#include <vector>

namespace belay {
namespace {

TEST(ClosestNames, GivesAtMostThreeByTheirDistance) {
  const std::vector<std::string_view> names = {"conv1", "conv2", "pool", "conv1", "softmax", "cnv1"};
  EXPECT_EQ(closest_names("conv1", names), "conv1, cnv1, conv2");
  EXPECT_EQ(closest_names("x", {}), "");
}

TEST(ClosestName, IsTheOneThatWasProbablyMeant) {
  const std::vector<std::string_view> names = {"model", "mode", "show", "framework"};
  EXPECT_EQ(closest_name("modle", names), "model");  // one exchange, as near as mode: the first
  EXPECT_EQ(closest_name("shwo", names), "show");
  EXPECT_EQ(closest_name("framwork", names), "framework");
  EXPECT_EQ(closest_name("compare", names), "");
  EXPECT_EQ(closest_name("x", {}), "");
}

}  // namespace
}  // namespace belay
