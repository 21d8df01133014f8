// SPDX-License-Identifier: Apache-2.0
#include "report/groups.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "report/layout.h"

// Graphviz keeps some memory of a graph with a cycle.
extern "C" __attribute__((visibility("default"))) const char* __lsan_default_suppressions() { return "leak:gmalloc"; }

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

// "p" and five diamonds behind it, in a folder of their own; with `late` the last reads p as well.
std::vector<Group> diamonds(bool late) {
  Network network;
  network.add("p", "Add");
  for (size_t i = 0; i < 5; ++i) {
    const size_t at = 3 * i;
    for (const char* part : {"left", "right", "join"}) network.add("q/" + std::string(part) + std::to_string(i), "Add");
    for (const size_t side : {at + 1, at + 2}) {
      network.links.push_back({at, side, 0, 0});
      network.links.push_back({side, at + 3, 0, 0});
    }
  }
  if (late) network.links.push_back({0, 15, 0, 2});
  return groups_of(network);
}

TEST(Groups, WhatComesFromOutsideAndIsReadLateKeepsAPartTogether) {
  EXPECT_THAT(diamonds(false), SizeIs(7));
  const auto groups = diamonds(true);
  ASSERT_THAT(groups, SizeIs(2));
  EXPECT_THAT(groups[1].children, SizeIs(15));
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
  // In each group the link inside, and the one that leaves it or enters it.
  for (const size_t group : {1, 2}) {
    ASSERT_THAT(levels[group].ports, SizeIs(1));
    EXPECT_EQ(levels[group].ports[0].source, 1u);
    EXPECT_EQ(levels[group].ports[0].out, group == 1);
    EXPECT_THAT(levels[group].routes, SizeIs(2));
  }
}

// Whether a route passes through a box; points of its curves by de Casteljau's rule.
bool crosses(const Route& route, double x, double y) {
  for (size_t at = 0; at + 7 < route.points.size(); at += 6)
    for (double t = 0; t <= 1; t += 1.0 / 64) {
      double p[8];
      for (size_t i = 0; i < 8; ++i) p[i] = route.points[at + i];
      for (size_t left = 3; left > 0; --left)
        for (size_t i = 0; i < 2 * left; ++i) p[i] += t * (p[i + 2] - p[i]);
      if (std::abs(p[0] - x) < kBoxWidth / 2 - 1 && std::abs(p[1] - y) < kBoxHeight / 2 - 1) return true;
    }
  return false;
}

TEST(Layout, ALinkIntoAGroupPassesBesideTheChildrenBeforeItsReader) {
  // A residual block: what it reads goes to its first operator and past three to its last.
  Network network = chain({"in", "block/a", "block/b", "block/c", "block/add", "out"});
  network.links.push_back({0, 4, 0, 1});
  const auto groups = groups_of(network);
  const auto levels = Layout().lay_out(network, groups);
  ASSERT_THAT(groups[1].children, ElementsAre(1, 2, 3, 4));
  ASSERT_THAT(levels[1].ports, SizeIs(2));
  const size_t in = 4;
  size_t seen = 0;
  for (const Route& route : levels[1].routes) {
    if (route.from != in) continue;
    ++seen;
    EXPECT_LT(levels[1].ports[0].y, levels[1].y[0]);
    for (size_t child = 0; child < 4; ++child)
      if (child != route.to) EXPECT_FALSE(crosses(route, levels[1].x[child], levels[1].y[child])) << child;
  }
  EXPECT_EQ(seen, 2u);
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
