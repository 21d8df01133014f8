// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "backend/kernel.h"
#include "base/status.h"
#include "graph/model/graph.h"

namespace belay::executor {

// Whether a node runs other graphs instead of a kernel.
bool is_loop(const graph::Node& node);    // While
bool is_choice(const graph::Node& node);  // If, Case, PartitionedCall: one of its subgraphs runs

// Which subgraph of a choice runs, by the value of the node's first input.
Result<size_t> choose_branch(const graph::Node& node, std::span<const backend::Tensor> inputs, size_t branches);

// The first element of a tensor is not zero.
Result<bool> is_true(const backend::Tensor& condition);

// Whether the node runs as a task of its own: not what only enters or leaves the graph, runs other graphs, or is a
// view.
bool has_task(const graph::Node& node);

// Nodes whose output is their first input, seen with another shape: known by type, before there are kernels (whose
// alias_of says it exactly).
bool is_view(const graph::Node& node);

}  // namespace belay::executor
