// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "graph/model/graph.h"

namespace belay::graph {

// Makes small graphs for tests: every call adds a node and returns its first output.
class Builder {
 public:
  explicit Builder(std::string name) { graph_.name = std::move(name); }

  Edge data(const std::string& name, DataType type, Shape shape, int index) {
    Node node{.name = name, .type = "Data"};
    node.attributes["index"] = index;
    node.inputs = {Edge{}};
    node.input_descs = {desc(type, shape)};
    node.outputs = {desc(type, shape)};
    return add(std::move(node));
  }

  // A Data node of a subgraph: it stands for an input of the node that refers to the graph.
  Edge parameter(const std::string& name, int port) {
    const Edge edge = data(name, DataType::Undefined, {-2}, port);
    graph_.nodes.back().attributes["_parent_node_index"] = port;
    return edge;
  }

  template <class T>
  Edge constant(const std::string& name, DataType type, Shape shape, const std::vector<T>& values) {
    Node node{.name = name, .type = "Const"};
    node.outputs = {desc(type, shape)};
    node.attributes["value"] = make_constant(type, std::move(shape), values);
    return add(std::move(node));
  }
  Edge ints(const std::string& name, const std::vector<int64_t>& values) {
    return constant(name, DataType::Int64, {static_cast<int64_t>(values.size())}, values);
  }
  Edge scalar(const std::string& name, int64_t value) {
    return constant(name, DataType::Int64, {}, std::vector<int64_t>{value});
  }

  Edge op(const std::string& type, const std::string& name, std::vector<Edge> inputs, Attributes attributes = {},
          size_t outputs = 1) {
    Node node{.name = name, .type = type, .inputs = std::move(inputs)};
    node.input_descs.resize(node.inputs.size());
    node.outputs.resize(outputs);
    node.attributes = std::move(attributes);
    return add(std::move(node));
  }

  void outputs(std::vector<Edge> inputs) { op("NetOutput", "Node_Output", std::move(inputs), {}, 0); }

  Node& node(Edge edge) { return graph_.nodes[edge.node]; }
  Graph take() { return std::move(graph_); }
  Model model() {
    Model made{.name = graph_.name};
    made.graphs.push_back(take());
    return made;
  }

 private:
  static TensorDesc desc(DataType type, const Shape& shape) {
    return {.type = type, .shape = shape, .origin_shape = shape};
  }
  Edge add(Node node) {
    graph_.nodes.push_back(std::move(node));
    return {static_cast<int>(graph_.nodes.size()) - 1, 0};
  }

  Graph graph_;
};

}  // namespace belay::graph
