// SPDX-License-Identifier: Apache-2.0
#include "executor/graph_walk.h"

#include "executor/branch.h"
#include "graph/infer/graph.h"
#include "graph/infer/infer.h"

namespace belay::executor {

NodeKind kind_of(const graph::Node& node) {
  if (graph::is_graph_input(node) && node.type != "RefData") return NodeKind::Input;  // a variable is refused
  if (graph::is_constant(node)) return NodeKind::Constant;
  if (node.type == "NetOutput") return NodeKind::Result;
  if (is_choice(node)) return NodeKind::Choice;
  if (is_loop(node)) return NodeKind::Loop;
  return node.attributes.contains(graph::kMembers) ? NodeKind::Fused : NodeKind::Operator;
}

const graph::Graph& members_of(const graph::Node& node) {
  return **graph::get_if<std::shared_ptr<graph::Graph>>(node.attributes, graph::kMembers);
}

Result<const graph::Graph*> subgraph_of(const graph::Model& model, const graph::Node& node, size_t index) {
  if (index >= node.subgraphs.size())
    return Status{ACL_ERROR_GE_FAILURE, node.type + " " + node.name + ": it has no subgraph " + std::to_string(index)};
  if (const graph::Graph* found = model.find_graph(node.subgraphs[index])) return found;
  return Status{ACL_ERROR_GE_FAILURE,
                node.type + " " + node.name + ": subgraph " + node.subgraphs[index] + " does not exist"};
}

size_t input_port(const graph::Node& input, GraphRole role) {
  if (role == GraphRole::Subgraph) return graph::parent_port(input);
  return static_cast<size_t>(graph::get_or<int64_t>(input.attributes, "index", 0));
}

size_t result_port(const graph::Node& result, GraphRole role, size_t input) {
  return role == GraphRole::Subgraph ? graph::parent_result(result, input) : input;
}

}  // namespace belay::executor
