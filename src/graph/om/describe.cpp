// SPDX-License-Identifier: Apache-2.0
// What the description calls answer, derived from a graph.
#include <algorithm>

#include "base/text.h"
#include "graph/om/om.h"

namespace belay::graph {
namespace {

using Numbers = std::vector<int64_t>;
using Texts = std::vector<std::string>;

// 0 when a dimension is not known.
uint64_t exact_bytes(DataType type, const Shape& shape) { return bytes_of(type, element_count(shape)); }

InOutInfo describe_tensor(const TensorDesc& desc) {
  InOutInfo info;
  info.format = desc.format;
  info.type = desc.type;
  info.dims = info.dims_v2 = desc.shape;
  info.size = exact_bytes(desc.type, desc.shape);
  info.range = desc.range;
  return info;
}

InOutInfo describe_input(const Node& node) {
  const auto& descs = node.outputs.empty() ? node.input_descs : node.outputs;
  InOutInfo info = descs.empty() ? InOutInfo{} : describe_tensor(descs[0]);
  info.name = node.name;
  for (const auto name : {"_mbatch_origin_input_dims", "_dynamic_aipp_input_dims"})
    if (const auto* dims = get_if<Numbers>(node.attributes, name)) info.dims = info.dims_v2 = *dims;
  if (const auto* raw = get_if<Numbers>(node.attributes, "input_dims")) {
    // The image; the buffer may have other dims.
    if (!node.input_descs.empty() && !node.attributes.contains("_mbatch_origin_input_dims"))
      info.dims = node.input_descs[0].shape;
    info.dims_v2 = *raw;
    info.size = exact_bytes(info.type, *raw);
  }
  return info;
}

std::string output_name(const Graph& graph, const Edge& edge, size_t i, const Texts& names, size_t outputs) {
  const std::string index = std::to_string(edge.output);
  if (names.size() == outputs) return names[i].find(':') == std::string::npos ? names[i] + ":" + index : names[i];
  const std::string producer = edge.connected() ? graph.nodes[edge.node].name : "";
  return formatted("output_{}_{}_{}", i, producer, index);
}

std::vector<InOutInfo> describe_outputs(const Model& model) {
  const Graph& graph = model.main();
  std::vector<InOutInfo> outputs;
  const int index = graph.output_node();
  if (index < 0) return outputs;
  const Node& node = graph.nodes[index];
  const auto names = get_or<Texts>(model.attributes, "attr_model_out_nodes_name", {});
  for (size_t i = 0; i < node.input_descs.size(); ++i) {
    outputs.push_back(describe_tensor(node.input_descs[i]));
    const Edge edge = i < node.inputs.size() ? node.inputs[i] : Edge{};
    outputs.back().name = output_name(graph, edge, i, names, node.input_descs.size());
  }
  return outputs;
}

// The gears of a model with dynamic batch, image size or dimensions: its Case node lists them.
void add_gears(const Node& node, ModelInOut& made) {
  const auto count = get_or<int64_t>(node.attributes, "_batch_num", 0);
  std::vector<Numbers> gears;
  for (int64_t i = 0; i < count; ++i) {
    const auto* gear = get_if<Numbers>(node.attributes, "_pred_value_" + std::to_string(i));
    if (!gear) break;
    gears.push_back(*gear);
  }
  switch (get_or<int64_t>(node.attributes, "mbatch_dynamic_type", 0)) {
    case 1:
      for (const Numbers& gear : gears) made.dynamic_batch.insert(made.dynamic_batch.end(), gear.begin(), gear.end());
      break;
    case 2:
      made.dynamic_hw = std::move(gears);
      break;
    case 3:
      made.dynamic_dims = std::move(gears);
      break;
    default:
      return;
  }
  made.user_shape_order = get_or<Texts>(node.attributes, "user_designate_shape_order", {});
}

}  // namespace

ModelInOut describe(const Model& model) {
  const Graph& graph = model.main();
  ModelInOut made;
  for (const int input : graph.input_nodes()) made.inputs.push_back(describe_input(graph.nodes[input]));
  made.outputs = describe_outputs(model);
  for (const Node& node : graph.nodes)
    if (node.type == "Case") add_gears(node, made);
  if (const int output = graph.output_node(); output >= 0)
    made.dynamic_output_shapes = get_or<Texts>(graph.nodes[output].attributes, "_dynamic_output_dims", {});
  return made;
}

}  // namespace belay::graph
