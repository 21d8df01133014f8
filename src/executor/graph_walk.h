// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/status.h"
#include "graph/model/graph.h"

// What compiling a graph, running it node by node and estimating its memory have in common: what each node is, which
// graphs stand behind it, and how its graph's inputs and results are numbered.
namespace belay::executor {

// How a graph is called, which decides where its inputs are found.
enum class GraphRole {
  Main,      // Data nodes by their `index`
  Members,   // of a fused node: the same, and nobody watches
  Subgraph,  // of a control node: Data nodes by the parent's port
};

enum class NodeKind : uint8_t {
  Input,     // Data: a value that the caller gives
  Constant,  // a value of the model
  Result,    // NetOutput: what the caller gets
  Choice,    // one of its subgraphs runs
  Loop,      // its subgraphs run, again and again
  Fused,     // made of members
  Operator,  // a kernel runs it
};
NodeKind kind_of(const graph::Node& node);

// Calls visit(kind, index) for each node in the order in which they run, until one fails.
template <class Visit>
Status walk(const graph::Graph& graph, Visit&& visit) {
  for (size_t i = 0; i < graph.nodes.size(); ++i) TRY(visit(kind_of(graph.nodes[i]), i));
  return {};
}

// The members of a Fused node.
const graph::Graph& members_of(const graph::Node& node);
// Of a Choice or a Loop; an error that names the node when it has no such subgraph, or when the model lacks it.
Result<const graph::Graph*> subgraph_of(const graph::Model& model, const graph::Node& node, size_t index);

// Which input of the graph an Input is.
size_t input_port(const graph::Node& input, GraphRole role);
// Which result of the graph an input of its Result node is.
size_t result_port(const graph::Node& result, GraphRole role, size_t input);

}  // namespace belay::executor
