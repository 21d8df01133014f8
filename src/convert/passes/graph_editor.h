// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "graph/model/graph.h"

namespace belay::convert {

// One input of a node.
struct Use {
  int node;
  size_t port;
};

// Changes a graph that has been imported. Indices stay valid until finish(): nodes are added at the end and removed by
// mark.
class GraphEditor {
 public:
  explicit GraphEditor(graph::Graph& graph);

  int count() const { return static_cast<int>(graph_.nodes.size()); }
  graph::Node& node(int index) { return graph_.nodes[static_cast<size_t>(index)]; }
  const graph::Node& node(int index) const { return graph_.nodes[static_cast<size_t>(index)]; }
  bool removed(int index) const { return removed_[static_cast<size_t>(index)]; }
  const graph::TensorDesc& desc(graph::Edge edge) const;

  // Who reads an output; all outputs of a node together.
  std::vector<Use> users(graph::Edge edge) const;
  size_t user_count(int index) const { return users_[static_cast<size_t>(index)].size(); }
  // The node that alone reads output 0 of this one, and reads nothing else of it; -1 when there is none or several.
  int only_user(int index) const;

  // The producer of an input when it is of that type; -1.
  int producer(graph::Edge edge, std::string_view type) const;
  // The value when a Const makes it; else null.
  const graph::Constant* constant(graph::Edge edge) const;
  // Whether it is a constant, or computed from constants alone: whoever loads the model computes it then.
  bool from_constants(graph::Edge edge) const;
  // Its single element, when that is a number.
  std::optional<double> scalar(graph::Edge edge) const;

  // All readers of `from` read `to` instead.
  void redirect(graph::Edge from, graph::Edge to);
  void set_input(int index, size_t port, graph::Edge edge);
  // Adds a node that runs where `place` runs; its descs of inputs are taken from the producers.
  int add(graph::Node node, int place);
  int add_constant(std::string name, graph::Constant value, int place);
  void remove(int index);
  // Removes what no longer leads to NetOutput; inputs of the graph stay. The number of nodes removed.
  int remove_dead();

  // Drops removed nodes and puts the rest in order. Nothing else may be called afterwards.
  Status finish();

 private:
  void forget(int index);

  graph::Graph& graph_;
  std::vector<bool> removed_;
  std::vector<int> place_;
  std::vector<std::vector<std::pair<int, Use>>> users_;  // by node: the output, and who reads it
};

}  // namespace belay::convert
