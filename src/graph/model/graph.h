// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "graph/model/attribute.h"
#include "graph/tensor/types.h"

namespace belay::graph {

// What a tensor looks like. `shape` and `format` are as stored; the origin ones are the logical view.
struct TensorDesc {
  std::string name;
  DataType type = DataType::Float;
  Shape shape;
  Format format = Format::ND;
  Shape origin_shape;
  Format origin_format = Format::ND;
  std::vector<std::pair<int64_t, int64_t>> range;  // of each dimension, for dynamic shapes; high -1: no bound
  Attributes attributes;
};

// Where an input comes from: output `output` of node `node` of the same graph. Node -1: an optional input left open.
struct Edge {
  int node = -1;
  int output = 0;
  bool connected() const { return node >= 0; }
  bool operator==(const Edge&) const = default;
};

// One GE operator of a graph. Ports are in the order of the operator's schema; inputs and input_descs have equal
// length.
struct Node {
  std::string name;
  std::string type;
  std::vector<Edge> inputs;
  std::vector<int> control_inputs;  // nodes that must have run before
  std::vector<TensorDesc> input_descs;
  std::vector<TensorDesc> outputs;
  Attributes attributes;
  std::vector<std::string> subgraphs;  // names of graphs of the same model, in schema order
};

// Data (also RefData, AippData) and Const (also Constant): where values enter a graph.
bool is_graph_input(const Node& node);
bool is_constant(const Node& node);
// Add, or another operator that only adds two tensors.
bool is_sum(const Node& node);

// Nodes in an order in which they can run: producers first. Data nodes are its inputs (attribute `index`), the node
// of type NetOutput lists its outputs.
struct Graph {
  std::string name;
  std::vector<Node> nodes;
  Attributes attributes;

  // Data nodes by their `index`.
  std::vector<int> input_nodes() const;
  // The NetOutput node; -1 when there is none.
  int output_node() const;
  // -1 when there is none of that name.
  int find(std::string_view name) const;
  // 100013 when an edge comes from nowhere or two nodes have one name; names the node.
  Status check() const;
  // Puts producers first and renumbers the edges. 100013 when there is a cycle or an edge to nowhere; names the node.
  Status sort();
  // Removes the nodes whose `keep` is false and renumbers; nobody may use them any more.
  void remove_nodes(const std::vector<bool>& keep);
};

// A model as data: graph 0 is the main one, the others are what nodes of type If, Case, While... refer to by name.
struct Model {
  std::string name;
  std::vector<Graph> graphs;
  Attributes attributes;

  // 100013 when a graph is not sound, a node refers to a graph that does not exist, or a graph contains itself.
  Status check() const;

  Graph& main() { return graphs.front(); }
  const Graph& main() const { return graphs.front(); }
  // Null when there is none of that name.
  const Graph* find_graph(std::string_view name) const;
  Graph* find_graph(std::string_view name);
};

// An attribute that reading gives a model whose file holds several (a dynamic-shape model and its compiled parts): how
// many.
inline constexpr std::string_view kFileModels = "_belay_file_models";

// An attribute of the Data nodes of a subgraph, and of the input descriptions of its NetOutput: which input or output of
// the parent node that is.
inline constexpr const char* kParentIndex = "_parent_node_index";

}  // namespace belay::graph
