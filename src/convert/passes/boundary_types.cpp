// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/closest.h"
#include "base/text.h"
#include "convert/passes/graph_editor.h"
#include "convert/passes/origin.h"
#include "convert/passes/precision.h"

namespace belay::convert {

using graph::DataType;
using graph::Edge;

Status take_half_input(graph::Graph& graph, const std::string& name) {
  const auto inputs = graph.input_nodes();
  const auto found = std::ranges::find(inputs, name, [&](int index) { return graph.nodes[index].name; });
  if (found == inputs.end()) {
    std::vector<std::string_view> known;
    for (const int index : inputs) known.push_back(graph.nodes[index].name);
    return {
        ACL_ERROR_INVALID_PARAM,
        formatted("--input_fp16_nodes: the model has no input {}; the nearest: {}", name, closest_names(name, known)),
        "E10016"};
  }
  auto& node = graph.nodes[*found];
  auto& type = node.outputs.front().type;
  if (!(type == DataType::Float || type == DataType::Float16 || type == DataType::BFloat16))
    return {ACL_ERROR_INVALID_PARAM,
            formatted("--input_fp16_nodes: input {} is {}{}; only floats can be given as float16", name,
                      graph::name_of(type), node.attributes.contains("input_dims") ? ", an image for AIPP" : ""),
            "E10001"};
  type = DataType::Float16;
  for (auto& desc : node.input_descs) desc.type = type;
  node.attributes["data_type"] = static_cast<int64_t>(type);
  return {};
}

Status cast_output(graph::Graph& graph, size_t output, graph::DataType type, CastCounter& casts) {
  GraphEditor editor(graph);
  const int index = graph.output_node();
  const Edge edge = editor.node(index).inputs.at(output);
  if (editor.desc(edge).type == type) return {};
  graph::Node made{.name = casts.name(), .type = "Cast", .inputs = {edge}};
  made.attributes["dst_type"] = static_cast<int64_t>(type);
  made.outputs = {editor.desc(edge)};
  made.outputs.front().type = type;
  const graph::Node* carried[] = {&editor.node(edge.node)};
  set_origin(made, carried, *carried[0]);
  set_no_origin(made);
  editor.set_input(index, output, {editor.add(std::move(made), index), 0});
  return editor.finish();
}

}  // namespace belay::convert
