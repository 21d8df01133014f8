// SPDX-License-Identifier: Apache-2.0
#include "backend/known_operators.h"

#include <set>

#include "backend/kernel.h"
#include "base/text.h"
#include "graph/infer/infer.h"

namespace belay::backend {
namespace {

// Run without a kernel: where values enter and leave a graph, and nodes that only give a tensor another shape.
bool needs_none(const graph::Node& node) {
  static const auto& types = *new const std::set<std::string_view>{
      "NetOutput", "Reshape",   "Flatten",     "FlattenV2",   "Squeeze",    "SqueezeV2",
      "SqueezeV3", "Unsqueeze", "UnsqueezeV2", "UnsqueezeV3", "ExpandDims", "Identity"};
  return graph::is_graph_input(node) || graph::is_constant(node) || !node.subgraphs.empty() ||
         types.contains(node.type);
}

// The name of the kernel that the vendor's compiler made of several operators; "" when there is none. Files of toolkits
// up to 1.75 have no other mark. The attribute is "_kernelname" or "<node>_kernelname", of the node's name at that
// time.
std::string fused_kernel(const graph::Node& node) {
  for (const auto& [name, attribute] : node.attributes) {
    const auto* text = std::get_if<std::string>(&attribute.value);
    if (text && name.ends_with("_kernelname") && text->starts_with("te_fused_op_")) return *text;
  }
  return "";
}

bool is_fused(const graph::Node& node) {
  return graph::get_or(node.attributes, "_is_compiled_fusion_op", false) || !fused_kernel(node).empty();
}

// Of a node that the vendor's compiler made of several: what they were. How they were wired is not in the file.
std::string members_of(const graph::Node& node) {
  std::string names;
  for (const auto& name : graph::get_or(node.attributes, "_datadump_original_op_names", std::vector<std::string>{}))
    names += (names.empty() ? "" : ", ") + name;
  if (names.empty()) names = "several operators";
  const std::string kernel = fused_kernel(node);
  return kernel.empty() ? names : formatted("{} (kernel {})", names, kernel);
}

// Why nothing can run the node; "" when something might.
std::string problem_of(const graph::Node& node) {
  if (is_fused(node))
    return "it was fused of " + members_of(node) + ", and the file does not say how; convert the source model again";
  return needs_none(node) || has_kernel(node.type) ? "" : "there is no kernel for this operator";
}

// `where` is "" or " of graph ...".
void find_in(const graph::Graph& graph, const std::string& where, std::string& lines) {
  for (const graph::Node& node : graph.nodes) {
    if (const auto* members = graph::get_if<std::shared_ptr<graph::Graph>>(node.attributes, graph::kMembers)) {
      find_in(**members, where, lines);
    } else if (const std::string problem = problem_of(node); !problem.empty()) {
      lines += formatted("{}{} {}{} cannot run: {}", lines.empty() ? "" : "\n", node.type, node.name, where, problem);
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
  const auto parts = graph::get_or<int64_t>(model.attributes, graph::kFileModels, 1);
  for (const auto& graph : model.graphs)
    find_in(graph, parts > 1 && &graph != &model.main() ? " of graph " + graph.name : "", lines);
  if (!lines.empty() && parts > 1)
    lines += formatted("\nThe file holds {} models: a dynamic-shape model and its compiled parts", parts);
  return lines;
}

}  // namespace belay::backend
