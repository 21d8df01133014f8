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

}  // namespace
}  // namespace belay
