// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graph/model/graph.h"

namespace belay::graph {

// The names that users know a node by: its list when it has one (which may be empty), else its own name.
std::vector<std::string> original_names(const Node& node);

// An output of an operator before fusion.
struct OriginalOutput {
  std::string op;
  uint32_t index = 0;
};

// Whose value an output of the node is in the source model: what the compiler noted of this output, else that of the
// last operator which the node was made of. Nothing: no user knows it.
std::optional<OriginalOutput> original_output(const Node& node, size_t output);

}  // namespace belay::graph
