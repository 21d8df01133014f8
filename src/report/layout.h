// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "report/groups.h"
#include "report/network.h"

namespace belay::report {

// How large a box is drawn; a group that is folded is a box as well.
constexpr double kBoxWidth = 132, kBoxHeight = 38;

// A line from a child to another: control points of Bezier curves, x and y in turn, first and last on the boxes.
struct Route {
  size_t from = 0, to = 0;  // places among the children, and behind those among the ports
  std::vector<float> points;
};

// Where what an operator makes crosses the border of a group: into it at the top, out of it at the bottom. A line to
// the inside goes from here to its reader past the other children, as any line does.
struct Port {
  size_t source = 0;  // the operator that makes it
  bool out = false;
  float x = 0, y = 0;
};

// Where the children of a group are while all are folded: their centres, y downwards.
struct Level {
  std::vector<float> x, y;
  std::vector<Port> ports;
  std::vector<Route> routes;
  double width = 0, height = 0;
};

// Graphviz' `dot`, level by level, so that networks of any size take time in proportion. Levels that were laid out
// before are not again.
class Layout {
 public:
  // One for each group.
  std::vector<Level> lay_out(const Network& network, const std::vector<Group>& groups);

 private:
  using Links = std::vector<std::pair<size_t, size_t>>;
  // By how many children there are, which ports lead outwards, and the links between all of them.
  std::map<std::tuple<size_t, std::vector<bool>, Links>, Level> known_;
};

}  // namespace belay::report
