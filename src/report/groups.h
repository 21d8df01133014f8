// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "report/network.h"

namespace belay::report {

// A part of the network that can be folded into one box.
struct Group {
  std::string name;
  int parent = -1;            // a place among the groups; -1: the whole
  std::vector<int> children;  // an operator i is i, a group g is ~g; in the order in which they run
};

// Groups 0, the whole, and those in it: by the names of the operators ("layer1/conv"); then, among many that no name
// brings together, what lies between two places where only one tensor passes; then neighbours, so that no group has
// more than a few hundred children.
std::vector<Group> groups_of(const Network& network);

}  // namespace belay::report
