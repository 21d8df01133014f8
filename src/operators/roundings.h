// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "graph/model/graph.h"

namespace belay::operators {

// Whether a value of 16 bits in this graph was rounded before something is computed from it; `inexact` are the
// constants that their type could not hold. Such a graph gives other results than one that computes in float and rounds
// at the end. Its nodes are in the order of their edges.
bool rounds_on_the_way(const graph::Graph& graph, std::span<const int> inexact);

}  // namespace belay::operators
