// SPDX-License-Identifier: Apache-2.0
#include "graph/infer/constant_nodes.h"

#include <algorithm>
#include <set>

#include "graph/infer/infer.h"

namespace belay::graph {
bool is_random(const Node& node) {
  static constexpr std::string_view words[] = {"Random",  "Stateless", "Stateful", "Multinomial",
                                               "Dropout", "DropOut",   "Bernoulli"};
  if (std::ranges::any_of(words, [&node](auto word) { return node.type.find(word) != std::string::npos; })) return true;
  const auto* members = get_if<std::shared_ptr<Graph>>(node.attributes, kMembers);
  return members && std::ranges::any_of((*members)->nodes, is_random);
}

bool is_collective(const Node& node) { return node.type.starts_with("Hcom"); }

std::vector<std::string> groups_of(const Model& model) {
  std::set<std::string> groups;
  for (const Graph& graph : model.graphs)
    for (const Node& node : graph.nodes)
      if (is_collective(node)) groups.insert(get_or<std::string>(node.attributes, "group", ""));
  return {groups.begin(), groups.end()};
}

bool is_function(const Node& node) {
  return !is_graph_input(node) && !is_constant(node) && node.type != "NetOutput" && node.subgraphs.empty() &&
         !is_random(node) && !is_collective(node);
}

std::vector<bool> constant_nodes(const Graph& graph) {
  std::vector<bool> constant;
  for (const Node& node : graph.nodes) {
    const auto known = [&](const Edge& edge) { return !edge.connected() || constant[static_cast<size_t>(edge.node)]; };
    constant.push_back(is_constant(node) || (is_function(node) && std::ranges::all_of(node.inputs, known)));
  }
  return constant;
}

std::vector<std::vector<int>> computed_outputs(const Graph& graph, const std::vector<bool>& constant) {
  std::vector<std::vector<int>> outputs(graph.nodes.size());
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    if (constant[i]) continue;
    for (const Edge& edge : graph.nodes[i].inputs) {
      if (!edge.connected() || !constant[static_cast<size_t>(edge.node)]) continue;
      auto& read = outputs[static_cast<size_t>(edge.node)];
      if (is_constant(graph.nodes[static_cast<size_t>(edge.node)]) || std::ranges::count(read, edge.output)) continue;
      read.push_back(edge.output);
    }
  }
  return outputs;
}

}  // namespace belay::graph
