// SPDX-License-Identifier: Apache-2.0
#include "backend/known_operators.h"

#include <set>

#include "backend/kernel.h"
#include "base/text.h"
#include "graph/infer.h"

namespace belay::backend {
namespace {

// Run without a kernel: where values enter and leave a graph, and nodes that only give a tensor another shape.
bool needs_none(const graph::Node& node) {
  static const std::set<std::string_view> types = {"NetOutput",   "Reshape",     "Flatten",    "FlattenV2",
                                                   "Squeeze",     "SqueezeV2",   "SqueezeV3",  "Unsqueeze",
                                                   "UnsqueezeV2", "UnsqueezeV3", "ExpandDims", "Identity"};
  return graph::is_graph_input(node) || graph::is_constant(node) || !node.subgraphs.empty() ||
         types.contains(node.type);
}

// Of a node that the vendor's compiler made of several: what they were. How they were wired is not in the file.
std::string members_of(const graph::Node& node) {
  std::string names;
  for (const auto& name : graph::get_or(node.attributes, "_datadump_original_op_names", std::vector<std::string>{}))
    names += (names.empty() ? "" : ", ") + name;
  return names.empty() ? "several operators" : names;
}

// Why nothing can run the node; "" when something might.
std::string problem_of(const graph::Node& node) {
  if (graph::get_or(node.attributes, "_is_compiled_fusion_op", false))
    return "it was fused of " + members_of(node) + ", and the file does not say how; convert the source model again";
  return needs_none(node) || has_kernel(node.type) ? "" : "there is no kernel for this operator";
}

void find_in(const graph::Graph& graph, std::string& lines) {
  for (const graph::Node& node : graph.nodes) {
    if (const auto* members = graph::get_if<std::shared_ptr<graph::Graph>>(node.attributes, graph::kMembers)) {
      find_in(**members, lines);
    } else if (const std::string problem = problem_of(node); !problem.empty()) {
      lines += formatted("{}{} {} cannot run: {}", lines.empty() ? "" : "\n", node.type, node.name, problem);
    }
  }
}

}  // namespace

bool has_kernel(std::string_view op) {
  static const auto* known = [] {
    auto* all = new std::set<std::string_view>;
    for (const KernelRow& row : kernel_rows()) all->insert(row.op);
    return all;
  }();
  return known->contains(op);
}

std::string operators_without_kernel(const graph::Model& model) {
  std::string lines;
  for (const auto& graph : model.graphs) find_in(graph, lines);
  return lines;
}

}  // namespace belay::backend
