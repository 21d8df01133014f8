// SPDX-License-Identifier: Apache-2.0
#include "executor/compile/memory_estimate.h"

#include <algorithm>

#include "backend/kernel.h"
#include "executor/compile/arena_plan.h"
#include "executor/graph_walk.h"
#include "graph/infer/constant_nodes.h"
#include "graph/infer/graph.h"

namespace belay::executor {
namespace {

using graph::TensorInfo;

// Of a tensor of half floats, which kernels may want as floats.
size_t widened_bytes(const TensorInfo& info) {
  const bool half = info.type == graph::DataType::Float16 || info.type == graph::DataType::BFloat16;
  return info.present && half ? graph::bytes_of(graph::DataType::Float, graph::element_count(info.shape)) : 0;
}

// Tensors of one graph and of the graphs inside it, each from its node to its last reader.
class Estimator {
 public:
  explicit Estimator(const graph::Model& model) : model_(model) {}

  // 0 and `dynamic` when a shape is not known.
  Result<size_t> arena(const graph::Graph& graph, std::span<const TensorInfo> inputs) {
    graph::GraphInference inference(&model_, graph);
    TRY(inputs.empty() ? inference.run() : inference.run(inputs));
    const auto constant = graph::constant_nodes(graph);  // computed at load: no part of it
    std::vector<Block> blocks;
    std::vector<std::vector<size_t>> of_node(graph.nodes.size());
    TRY(walk(graph, [&](NodeKind kind, size_t i) -> Status {
      const graph::Node& node = graph.nodes[i];
      const int at = static_cast<int>(i);
      for (const graph::Edge& edge : node.inputs)
        if (edge.connected())
          for (const size_t block : of_node[static_cast<size_t>(edge.node)]) blocks[block].last = at;
      if (dynamic || kind == NodeKind::Input || constant[i]) return {};
      dynamic |= kind == NodeKind::Loop;
      if (const size_t inside = TRY(inner(kind, node, inference)); inside > 0) blocks.push_back({inside, at, at});
      for (const TensorInfo& output : inference.outputs_of(at)) {
        if (!graph::is_known(output.shape)) dynamic = true;
        if (dynamic) return {};
        of_node[i].push_back(blocks.size());
        blocks.push_back({graph::bytes_of(output.type, graph::element_count(output.shape)), at, at});
      }
      blocks.push_back({widened(graph, at, inference, constant), at, at});
      return {};
    }));
    if (dynamic) return size_t{0};
    return plan_arena(blocks);
  }

  bool dynamic = false;

 private:
  // What a node needs for its half floats as floats. Constants are no part of it.
  static size_t widened(const graph::Graph& graph, int index, const graph::GraphInference& inference,
                        const std::vector<bool>& constant) {
    const graph::Node& node = graph.nodes[static_cast<size_t>(index)];
    const auto inputs = inference.inputs_of(node);
    size_t bytes = 0;
    for (size_t i = 0; i < inputs.size(); ++i)
      if (node.inputs[i].connected() && !constant[static_cast<size_t>(node.inputs[i].node)])
        bytes += widened_bytes(inputs[i]);
    for (const TensorInfo& output : inference.outputs_of(index)) bytes += widened_bytes(output);
    return bytes;
  }

  // What a node needs while its own graphs run: of several branches the largest.
  Result<size_t> inner(NodeKind kind, const graph::Node& node, const graph::GraphInference& inference) {
    const auto inputs = inference.inputs_of(node);
    if (kind == NodeKind::Fused) return arena(members_of(node), inputs);
    size_t most = 0;
    for (size_t branch = 0; branch < node.subgraphs.size() && !dynamic; ++branch) {
      const graph::Graph* graph = TRY(subgraph_of(model_, node, branch));
      const bool gears = graph::chooses_gear(node);
      const auto bytes = arena(*graph, gears ? std::span<const TensorInfo>() : std::span(inputs));
      if (!bytes.ok() && !gears && node.subgraphs.size() > 1) {
        dynamic = true;  // a branch that does not fit these shapes makes the graph run node by node
        continue;
      }
      if (!bytes.ok()) return bytes.status();
      most = std::max(most, *bytes);
    }
    return most;
  }

  const graph::Model& model_;
};

}  // namespace

Result<MemoryEstimate> estimate_memory(const graph::Model& model) {
  MemoryEstimate estimate;
  Estimator estimator(model);
  const size_t work = TRY(estimator.arena(model.main(), {}));
  estimate.dynamic = estimator.dynamic;
  estimate.work_bytes = estimator.dynamic ? 0 : work;
  for (const auto& graph : model.graphs)
    for (const auto& node : graph.nodes)
      if (const auto* constant = graph::get_if<graph::Constant>(node.attributes, "value"))
        estimate.weight_bytes += constant->bytes.size();
  return estimate;
}

}  // namespace belay::executor
