// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "graph/model/graph.h"

namespace belay::graph {

// Whether an operator may give another result each time, whatever its inputs.
bool is_random(const Node& node);

// Whether an operator works together with other ranks (Hcom...): it runs even if nobody reads what it gives, and what
// it gives does not follow from its inputs.
bool is_collective(const Node& node);

// The groups that the collective operators of a model name, each once.
std::vector<std::string> groups_of(const Model& model);

// Whether a node's outputs follow from its inputs alone, by a kernel: it enters no value, leaves none, runs no other
// graph, is not random and needs no other rank.
bool is_function(const Node& node);

// By node: whether it is a constant, or is computed from constants alone, so that it need not wait for an execution.
// What runs other graphs is neither, nor is an input of the graph: a loop's variable differs from one iteration to the
// next.
std::vector<bool> constant_nodes(const Graph& graph);

// By node: the outputs that are computed from constants alone and that other nodes read.
std::vector<std::vector<int>> computed_outputs(const Graph& graph, const std::vector<bool>& constant);

}  // namespace belay::graph
