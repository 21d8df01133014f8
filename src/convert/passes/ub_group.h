// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "convert/passes/graph_editor.h"

namespace belay::convert {

// Puts one node in the place of `members`, a chain in running order of which only the last is read from outside. Name,
// type, inputs and attributes are those of the vendor's UB fusion; the members themselves, with all their attributes,
// go along as a graph (graph::kMembers), so that the node can be run exactly. Its index.
int fuse_group(GraphEditor& editor, const std::vector<int>& members, std::string_view pass, int scope);

// The activation that alone reads output 0 of this node, when it is one that kernels can apply to a result in place;
// -1. Its other inputs, if any, are constants.
int following_activation(const GraphEditor& editor, int index);
// The Add that alone reads it and joins it with a tensor of the same shape; -1.
int following_sum(const GraphEditor& editor, int index);

}  // namespace belay::convert
