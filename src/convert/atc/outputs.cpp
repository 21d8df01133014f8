// SPDX-License-Identifier: Apache-2.0
#include "convert/atc/outputs.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "convert/atc/input_shapes.h"

namespace belay::convert {
namespace {

using graph::DataType;

Status wrong(std::string_view option, std::string_view value, std::string_view why) {
  return {ACL_ERROR_INVALID_PARAM, formatted("--{}: \"{}\" {}", option, value, why), "E10001"};
}

bool has_tensor(const onnx::Graph& graph, std::string_view name) {
  const auto in = [name](const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](const onnx::Node& node) { return in(node.outputs); });
}

// "node:index".
Result<std::string> tensor_of_node(const onnx::Graph& graph, std::string_view text) {
  const size_t colon = text.rfind(':');
  const auto index = parse_number(text.substr(colon + 1));
  const std::string_view name = text.substr(0, colon);
  const auto node = std::find_if(graph.nodes.begin(), graph.nodes.end(),
                                 [name](const onnx::Node& candidate) { return candidate.name == name; });
  if (node == graph.nodes.end()) return wrong("out_nodes", text, "names no node of the model");
  if (!index || *index >= node->outputs.size() || node->outputs[*index].empty())
    return wrong("out_nodes", text,
                 formatted("asks for an output that the node, which has {}, does not have", node->outputs.size()));
  return node->outputs[*index];
}

Result<std::vector<OutputSpec>> named_outputs(const onnx::Graph& graph, std::string_view text) {
  std::vector<OutputSpec> outputs;
  for (const auto part : split_text(text, ';')) {
    const auto item = trimmed(part);
    if (item.empty()) continue;
    if (has_tensor(graph, item)) {
      outputs.push_back({std::string(item)});
    } else if (item.find(':') != std::string_view::npos) {
      outputs.push_back({TRY(tensor_of_node(graph, item)), true});
    } else {
      return wrong("out_nodes", item, "is not an output tensor of a node; nodes are given as node:index");
    }
    if (outputs.back().named_by_node != outputs.front().named_by_node)
      return wrong("out_nodes", text, "mixes nodes and tensors; use one of the two forms");
  }
  return outputs;
}

Result<DataType> element_type(std::string_view name) {
  static const auto& types = *new const std::map<std::string_view, DataType>{
      {"FP32", DataType::Float},    {"FP16", DataType::Float16},  {"UINT8", DataType::UInt8},
      {"INT8", DataType::Int8},     {"INT16", DataType::Int16},   {"UINT16", DataType::UInt16},
      {"INT32", DataType::Int32},   {"UINT32", DataType::UInt32}, {"INT64", DataType::Int64},
      {"UINT64", DataType::UInt64}, {"DOUBLE", DataType::Double},
  };
  const auto found = types.find(name);
  if (found != types.end()) return found->second;
  return wrong("output_type", name,
               "is not supported; one of FP32, FP16, UINT8, INT8, INT16, UINT16, INT32, UINT32, INT64, UINT64, DOUBLE");
}

// One type for all, or "node:index:TYPE;...", which needs --out_nodes.
Status set_types(const onnx::Graph& graph, const ConvertOptions& options, std::vector<OutputSpec>& outputs) {
  if (options.output_type.empty()) return {};
  if (options.output_type.find(':') == std::string::npos) {
    const DataType type = TRY(element_type(options.output_type));
    for (auto& output : outputs) output.type = type;
    return {};
  }
  if (options.out_nodes.empty()) return wrong("output_type", options.output_type, "needs --out_nodes");
  for (const auto part : split_text(options.output_type, ';')) {
    const auto item = trimmed(part);
    const size_t colon = item.rfind(':');
    const auto name = item.substr(0, colon);
    const DataType type = TRY(element_type(item.substr(colon + 1)));
    const std::string tensor = has_tensor(graph, name) ? std::string(name) : TRY(tensor_of_node(graph, name));
    const auto found = std::find_if(outputs.begin(), outputs.end(),
                                    [&tensor](const OutputSpec& output) { return output.tensor == tensor; });
    if (found == outputs.end()) return wrong("output_type", item, "is not one of --out_nodes");
    found->type = type;
  }
  return {};
}

}  // namespace

Result<std::vector<OutputSpec>> choose_outputs(const onnx::Graph& graph, const ConvertOptions& options) {
  std::vector<OutputSpec> outputs;
  if (options.out_nodes.empty()) {
    for (const auto& output : graph.outputs) outputs.push_back({output.name});
  } else {
    outputs = TRY(named_outputs(graph, options.out_nodes));
  }
  TRY(set_types(graph, options, outputs));
  return outputs;
}

}  // namespace belay::convert
