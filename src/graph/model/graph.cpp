// SPDX-License-Identifier: Apache-2.0
#include "graph/model/graph.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <unordered_set>

#include "base/text.h"

namespace belay::graph {
namespace {

// The nodes that must run before this one, each as often as it is named.
std::vector<int> producers(const Node& node) {
  std::vector<int> all(node.control_inputs);
  for (const Edge& edge : node.inputs)
    if (edge.connected()) all.push_back(edge.node);
  return all;
}

Status check_edges(const Graph& graph) {
  const int count = static_cast<int>(graph.nodes.size());
  for (const Node& node : graph.nodes) {
    for (const Edge& edge : node.inputs) {
      if (!edge.connected()) continue;
      if (edge.node >= count || edge.output < 0 ||
          static_cast<size_t>(edge.output) >= graph.nodes[edge.node].outputs.size())
        return {ACL_ERROR_PARSE_MODEL,
                formatted("graph {}: an input of node {} ({}) comes from an output that does not exist", graph.name,
                          node.name, node.type)};
    }
    for (const int control : node.control_inputs)
      if (control < 0 || control >= count)
        return {ACL_ERROR_PARSE_MODEL, formatted("graph {}: node {} ({}) waits for a node that does not exist",
                                                 graph.name, node.name, node.type)};
  }
  return {};
}

// The order in which the nodes can run, keeping theirs where it is free; shorter than the graph when there is a cycle.
std::vector<int> running_order(const Graph& graph) {
  const size_t count = graph.nodes.size();
  std::vector<std::vector<int>> consumers(count);
  std::vector<int> missing(count, 0);
  for (size_t i = 0; i < count; ++i)
    for (const int producer : producers(graph.nodes[i])) {
      consumers[producer].push_back(static_cast<int>(i));
      ++missing[i];
    }
  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  for (size_t i = 0; i < count; ++i)
    if (missing[i] == 0) ready.push(static_cast<int>(i));
  std::vector<int> order;
  while (!ready.empty()) {
    const int next = ready.top();
    ready.pop();
    order.push_back(next);
    for (const int consumer : consumers[next])
      if (--missing[consumer] == 0) ready.push(consumer);
  }
  return order;
}

constexpr int kMostNesting = 50;

// Follows the references between graphs: one that contains itself would never end.
class NestingCheck {
 public:
  explicit NestingCheck(const Model& model) : model_(model) {}

  Status visit(const Graph& graph, int depth = 0) {
    if (fine_.contains(&graph)) return {};
    if (depth > kMostNesting || !open_.insert(&graph).second)
      return {ACL_ERROR_PARSE_MODEL,
              formatted("graph {} contains itself, or graphs are nested too deeply", graph.name)};
    for (const Node& node : graph.nodes)
      for (const std::string& name : node.subgraphs) {
        const Graph* inner = model_.find_graph(name);
        if (!inner)
          return {ACL_ERROR_PARSE_MODEL, formatted("graph {}: node {} ({}) refers to graph {}, which does not exist",
                                                   graph.name, node.name, node.type, name)};
        TRY(visit(*inner, depth + 1));
      }
    open_.erase(&graph);
    fine_.insert(&graph);
    return {};
  }

 private:
  const Model& model_;
  std::unordered_set<const Graph*> open_, fine_;
};

void renumber(Graph& graph, const std::vector<int>& new_index) {
  for (Node& node : graph.nodes) {
    for (Edge& edge : node.inputs)
      if (edge.connected()) edge.node = new_index[edge.node];
    for (int& control : node.control_inputs) control = new_index[control];
  }
}

}  // namespace

std::vector<int> Graph::input_nodes() const {
  std::vector<std::pair<int64_t, int>> found;
  for (size_t i = 0; i < nodes.size(); ++i)
    if (is_graph_input(nodes[i]))
      found.emplace_back(get_or<int64_t>(nodes[i].attributes, "index", 0), static_cast<int>(i));
  std::ranges::stable_sort(found, {}, &std::pair<int64_t, int>::first);
  std::vector<int> indices;
  for (const auto& [index, node] : found) indices.push_back(node);
  return indices;
}

int Graph::output_node() const {
  const auto found = std::ranges::find(nodes, "NetOutput", &Node::type);
  return found == nodes.end() ? -1 : static_cast<int>(found - nodes.begin());
}

int Graph::find(std::string_view wanted) const {
  const auto found = std::ranges::find(nodes, wanted, &Node::name);
  return found == nodes.end() ? -1 : static_cast<int>(found - nodes.begin());
}

Status Graph::check() const {
  TRY(check_edges(*this));
  std::unordered_set<std::string_view> names;
  for (const Node& node : nodes)
    if (!names.insert(node.name).second)
      return {ACL_ERROR_PARSE_MODEL, formatted("graph {}: two nodes are called {}", name, node.name)};
  return {};
}

Status Graph::sort() {
  TRY(check_edges(*this));
  const std::vector<int> order = running_order(*this);
  if (order.size() < nodes.size()) {
    std::vector<bool> placed(nodes.size());
    for (const int node : order) placed[node] = true;
    const auto stuck = std::ranges::find(placed, false) - placed.begin();
    return {ACL_ERROR_PARSE_MODEL, formatted("graph {}: node {} ({}) is part of a cycle or fed by one", name,
                                             nodes[stuck].name, nodes[stuck].type)};
  }
  if (std::ranges::is_sorted(order)) return {};
  std::vector<int> new_index(nodes.size());
  std::vector<Node> sorted;
  sorted.reserve(nodes.size());
  for (const int old : order) {
    new_index[old] = static_cast<int>(sorted.size());
    sorted.push_back(std::move(nodes[old]));
  }
  nodes = std::move(sorted);
  renumber(*this, new_index);
  return {};
}

void Graph::remove_nodes(const std::vector<bool>& keep) {
  std::vector<int> new_index(nodes.size(), -1);
  std::vector<Node> kept;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (!keep[i]) continue;
    new_index[i] = static_cast<int>(kept.size());
    kept.push_back(std::move(nodes[i]));
  }
  nodes = std::move(kept);
  for (Node& node : nodes) std::erase_if(node.control_inputs, [&](int control) { return new_index[control] < 0; });
  renumber(*this, new_index);
}

bool is_graph_input(const Node& node) {
  return node.type == "Data" || node.type == "AippData" || node.type == "RefData";
}

bool is_constant(const Node& node) { return node.type == "Const" || node.type == "Constant"; }

bool is_sum(const Node& node) {
  return (node.type == "Add" || node.type == "AccumulateNV2") && node.inputs.size() == 2;
}

Status Model::check() const {
  if (graphs.empty()) return {ACL_ERROR_PARSE_MODEL, formatted("model {} has no graph", name)};
  NestingCheck nesting(*this);
  for (const Graph& graph : graphs) {
    TRY(graph.check());
    TRY(nesting.visit(graph));
  }
  return {};
}

const Graph* Model::find_graph(std::string_view wanted) const {
  const auto found = std::ranges::find(graphs, wanted, &Graph::name);
  return found == graphs.end() ? nullptr : &*found;
}

Graph* Model::find_graph(std::string_view wanted) {
  return const_cast<Graph*>(static_cast<const Model*>(this)->find_graph(wanted));
}

}  // namespace belay::graph
