// SPDX-License-Identifier: Apache-2.0
#include "base/closest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
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

// The whole table, as the textbook has it (optimal string alignment).
size_t whole_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<size_t>> d(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i)
    for (size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[a.size()][b.size()];
}

TEST(ClosestName, LooksOnlyNearTheDiagonalAndFindsTheSame) {
  std::mt19937 random(5);
  const auto name = [&](size_t most) {
    std::string made(random() % (most + 1), 'a');
    for (char& letter : made) letter = static_cast<char>('a' + random() % 3);
    return made;
  };
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::string> kept;
    for (int i = 0; i < 5; ++i) kept.push_back(name(24));
    const std::string wanted = name(24);
    size_t least = std::max<size_t>(2, wanted.size() / 3) + 1;
    std::string_view nearest;
    for (const std::string& each : kept)
      if (const size_t far = whole_distance(wanted, each); far < least) least = far, nearest = each;
    ASSERT_EQ(closest_name(wanted, std::vector<std::string_view>(kept.begin(), kept.end())), nearest) << wanted;
  }
}

}  // namespace
}  // namespace belay
