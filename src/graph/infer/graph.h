// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <list>
#include <span>
#include <vector>

#include "graph/infer/infer.h"

namespace belay::graph {

// The shapes of one graph's tensors, and the integer values that are known of them.
class GraphInference {
 public:
  // `model` holds the graphs that nodes refer to; null when none does. Both must outlive this.
  GraphInference(const Model* model, const Graph& graph) : model_(model), graph_(graph) {}

  // From the Data nodes' own shapes, or from the inputs of the node that this graph belongs to.
  Status run();
  Status run(std::span<const TensorInfo> parent_inputs);

  // Valid after a run. The values belong to this object.
  const std::vector<TensorInfo>& outputs_of(int node) const { return tensors_[node]; }
  std::vector<TensorInfo> inputs_of(const Node& node) const;
  // What NetOutput takes, by the output of the parent node that it stands for.
  std::vector<TensorInfo> results() const;

 private:
  Status infer_node(const Node& node, std::vector<TensorInfo>& outputs);
  Status keep_known_shapes(const Node& node, Status error, std::vector<TensorInfo>& outputs) const;
  void add_values(const Node& node, std::span<const TensorInfo> inputs, std::vector<TensorInfo>& outputs);

  const Model* model_;
  const Graph& graph_;
  std::vector<std::vector<TensorInfo>> tensors_;  // by node, then output
  std::list<Constant> constants_;                 // what value and partial of tensors_ point to
  std::list<std::vector<int64_t>> partials_;
};

// Infers a fused node through the graph of its members.
Status infer_members(InferContext& context, const Graph& members);
// Infers If, Case, While, PartitionedCall through their subgraphs: where branches or iterations differ, the dimension
// is unknown. A Case that chooses between gears gives the largest of each output.
Status infer_subgraphs(InferContext& context);
// What the subgraphs of the context's node take when its inputs are these: for a loop, shapes that hold in every
// iteration; for gears nothing.
Result<std::vector<TensorInfo>> subgraph_inputs(const InferContext& context);

// A Case that chooses between gears: its inputs have the shapes of the largest, and the Data nodes of each branch those
// of the branch's own gear.
bool chooses_gear(const Node& node);

// The input of the parent node that a subgraph's Data node stands for.
size_t parent_port(const Node& data);
// The output of the parent node that an input of a subgraph's NetOutput stands for.
size_t parent_result(const Node& net_output, size_t input);

}  // namespace belay::graph
