// SPDX-License-Identifier: Apache-2.0
#include "report/groups.h"

#include <gmock/gmock.h>

#include "report/layout.h"

namespace belay::report {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

Network chain(const std::vector<std::string>& names) {
  Network network;
  for (const std::string& name : names) network.add(name, "Add");
  for (size_t i = 1; i < names.size(); ++i) network.links.push_back({i - 1, i, 0, 0});
  return network;
}

TEST(Groups, AreTheFoldersOfTheNames) {
  const auto groups = groups_of(chain({"in", "a/x", "a/y", "b/x", "b/y", "out"}));
  ASSERT_THAT(groups, SizeIs(3));
  EXPECT_THAT(groups[0].children, ElementsAre(0, ~1, ~2, 5));
  EXPECT_EQ(groups[1].name, "a");
  EXPECT_THAT(groups[1].children, ElementsAre(1, 2));
  EXPECT_EQ(groups[2].parent, 0);
}

TEST(Groups, OneWithASingleChildIsDissolvedIntoIt) {
  const auto groups = groups_of(chain({"a/b/x", "a/b/y", "c/only"}));
  ASSERT_THAT(groups, SizeIs(2));
  EXPECT_THAT(groups[0].children, ElementsAre(~1, 2));
  EXPECT_EQ(groups[1].name, "a/b");
}

TEST(Groups, OfAFusedOperatorTheFoldersThatItsSourcesShareCount) {
  Network network;
  network.add("a/convb/relu", "Conv2D", {"a/conv", "b/relu"});
  network.add("a/convac/relu", "Conv2D", {"a/c/conv", "a/c/relu"});
  network.add("a/z", "Add", {"a/z"});
  const auto groups = groups_of(network);
  ASSERT_THAT(groups, SizeIs(2));
  EXPECT_THAT(groups[0].children, ElementsAre(0, ~1));
  EXPECT_THAT(groups[1].children, ElementsAre(1, 2));
}

TEST(Groups, WithoutFoldersWhatLiesBetweenSingleTensorsIsOne) {
  std::vector<std::string> names;
  for (int i = 0; i < 13; ++i) names.push_back("n" + std::to_string(i));
  Network network = chain(names);
  network.links.push_back({4, 8, 0, 1});  // from 4 to 8 a second tensor passes: 5 to 8 belong together
  const auto groups = groups_of(network);
  ASSERT_THAT(groups, SizeIs(2));
  EXPECT_THAT(groups[0].children, ElementsAre(0, 1, 2, 3, 4, ~1, 9, 10, 11, 12));
  EXPECT_THAT(groups[1].children, ElementsAre(5, 6, 7, 8));
  EXPECT_EQ(groups[1].name, "n5 \u2026 n8");
}

TEST(Groups, NoneHasMoreThanTwoHundredChildrenAndNoOperatorIsLost) {
  std::vector<std::string> names;
  for (int i = 0; i < 20000; ++i) names.push_back("n" + std::to_string(i));
  const auto groups = groups_of(chain(names));
  std::vector<int> seen(names.size());
  for (const Group& group : groups) {
    EXPECT_LE(group.children.size(), 200u);
    for (const int child : group.children)
      if (child >= 0) ++seen[static_cast<size_t>(child)];
  }
  EXPECT_THAT(seen, testing::Each(1));
}

TEST(Layout, ReadersAreBelowTheirProducersAndNoTwoBoxesMeet) {
  Network network = chain({"a", "b", "c", "d"});
  network.links.push_back({0, 3, 0, 1});
  const auto levels = Layout().lay_out(network, groups_of(network));
  ASSERT_THAT(levels, SizeIs(1));
  const Level& level = levels[0];
  for (const Link& link : network.links) EXPECT_LT(level.y[link.from] + kBoxHeight, level.y[link.to]);
  ASSERT_THAT(level.routes, SizeIs(4));
  for (const Route& route : level.routes) {
    ASSERT_GE(route.points.size(), 8u);
    EXPECT_EQ(route.points.size() % 6, 2u);  // a start and three points for each curve
    EXPECT_NEAR(route.points[1], level.y[route.from] + kBoxHeight / 2, 1);
    EXPECT_NEAR(route.points.back(), level.y[route.to] - kBoxHeight / 2, 1);
  }
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_GE(level.x[i], kBoxWidth / 2 - 1);
    EXPECT_LE(level.x[i], level.width - kBoxWidth / 2 + 1);
    EXPECT_LE(level.y[i], level.height - kBoxHeight / 2 + 1);
  }
}

TEST(Layout, LinksOfGroupsAreDrawnWhereBothEndsMeet) {
  const Network network = chain({"a/x", "a/y", "b/x", "b/y"});
  const auto groups = groups_of(network);
  const auto levels = Layout().lay_out(network, groups);
  ASSERT_THAT(levels, SizeIs(3));
  EXPECT_THAT(levels[0].routes, SizeIs(1));
  EXPECT_THAT(levels[1].routes, SizeIs(1));
  EXPECT_THAT(levels[2].routes, SizeIs(1));
}

TEST(Layout, ACycleOfGroupsIsLaidOutToo) {
  Network network;
  for (const char* name : {"a/x", "c", "a/y"}) network.add(name, "Add");
  network.links = {{0, 1, 0, 0}, {1, 2, 0, 0}};
  const auto levels = Layout().lay_out(network, groups_of(network));
  EXPECT_THAT(levels[0].routes, SizeIs(2));
}

}  // namespace
}  // namespace belay::report
