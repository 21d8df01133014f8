// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "graph/infer/infer.h"
#include "graph/model/graph.h"

namespace belay::convert {

using graph::Attributes;
using graph::Constant;
using graph::DataType;
using graph::Edge;
using graph::Shape;
using graph::TensorInfo;

// A GE graph as it grows. Each node is inferred when it is added, so that whoever adds the next one can ask for types,
// shapes and the values that are already known.
class GraphBuilder {
 public:
  // `model` has the graphs that nodes of this one refer to; it outlives the builder.
  GraphBuilder(const graph::Model* model, std::string name) : model_(model) { graph_.name = std::move(name); }

  // Appends a node whose inputs are already there: fills in defaults, infers the outputs, computes small constant
  // results. The node is there afterwards even when the error says why it cannot be; its outputs are then unknown.
  Status add(graph::Node node);
  // Appends a node whose outputs the caller has described (Data, If, While...).
  void add_described(graph::Node node);

  int last() const { return static_cast<int>(graph_.nodes.size()) - 1; }
  size_t size() const { return graph_.nodes.size(); }
  graph::Node& node(int index) { return graph_.nodes[static_cast<size_t>(index)]; }
  const graph::Node& node(int index) const { return graph_.nodes[static_cast<size_t>(index)]; }
  const graph::Graph& graph() const { return graph_; }
  graph::Graph take() { return std::move(graph_); }

  // What is known of an output. The value lives as long as the builder.
  TensorInfo info(Edge edge) const;
  const Constant* value(Edge edge) const { return info(edge).value; }

  // Values that were computed although their node is no Const: what constant folding puts in its place.
  const std::map<std::pair<int, int>, Constant>& values() const { return values_; }

 private:
  Status infer(graph::Node& node, std::span<const TensorInfo> inputs);
  void add_values(const graph::Node& node, std::span<const TensorInfo> inputs, std::span<const TensorInfo> outputs);

  const graph::Model* model_;
  graph::Graph graph_;
  std::map<std::pair<int, int>, Constant> values_;  // by node and output
  std::map<std::pair<int, int>, std::vector<int64_t>> partials_;
};

}  // namespace belay::convert
