// SPDX-License-Identifier: Apache-2.0
#include "api/aclnn/args.h"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "dump/exceptions/op_args.h"
#include "graph/infer/infer.h"
#include "graph/model/schema.h"
#include "runtime/device/soc.h"

namespace belay::api {
namespace {

using nlohmann::json;

std::string type_text(graph::DataType type) {
  std::string text(graph::name_of(type).substr(3));  // without DT_
  std::ranges::transform(text, text.begin(), [](unsigned char letter) { return std::tolower(letter); });
  return text == "bfloat16" ? "bf16" : text;
}

const graph::Constant* value_of(const graph::Graph& graph, const graph::Edge& edge) {
  if (!edge.connected()) return nullptr;
  const graph::Node& producer = graph.nodes[static_cast<size_t>(edge.node)];
  return graph::is_constant(producer) ? graph::get_if<graph::Constant>(producer.attributes, "value") : nullptr;
}

const char* kind_text(graph::PortKind kind) {
  return kind == graph::PortKind::Dynamic ? "dynamic" : kind == graph::PortKind::Optional ? "optional" : "required";
}

json tensor_json(const graph::TensorDesc& desc, const graph::Port& port, size_t index, const graph::Constant* value) {
  json made{{"name", port.name},
            {"index", index},
            {"param_type", kind_text(port.kind)},
            {"is_view", false},
            {"shape", desc.shape},
            {"dtype", type_text(desc.type)},
            {"value_depend", false},
            {"origin_shape", desc.shape}};
  made["format"] = made["origin_format"] = std::string(graph::name_of(desc.format));
  if (!value) return made;
  made["value_depend"] = true;
  const auto elements = graph::integers(*value);
  made["const_data"] = elements ? json(*elements) : json("NULL");
  return made;
}

// The ports of one side in the order of the definition; a dynamic one takes what the others leave.
template <class ValueOf>
json side(const std::vector<graph::Port>& ports, const std::vector<graph::TensorDesc>& descs, ValueOf value) {
  json made = json::array();
  size_t at = 0;
  for (size_t i = 0; i < ports.size(); ++i) {
    const auto next = [&]() -> json {
      if (at >= descs.size() || descs[at].type == graph::DataType::Undefined) return ++at, json(nullptr);
      json tensor = tensor_json(descs[at], ports[i], i, value(at));
      ++at;
      return tensor;
    };
    if (ports[i].kind != graph::PortKind::Dynamic) {
      made.push_back(next());
      continue;
    }
    json members = json::array();
    for (size_t left = ports.size() - 1 - i; at + left < descs.size();) members.push_back(next());
    made.push_back(std::move(members));
  }
  return made;
}

void add_attribute(json& list, const std::string& name, const graph::AttributeValue& value) {
  const auto add = [&](const char* type, json shown) {
    list.push_back({{"dtype", type}, {"index", list.size()}, {"name", name}, {"value", std::move(shown)}});
  };
  if (const auto* flag = std::get_if<bool>(&value)) add("bool", *flag);
  if (const auto* number = std::get_if<int64_t>(&value)) add("int", *number);
  if (const auto* real = std::get_if<float>(&value)) add("float", *real);
  if (const auto* text = std::get_if<std::string>(&value)) add("str", *text);
  if (const auto* type = std::get_if<graph::DataType>(&value)) add("int", static_cast<int64_t>(*type));
  if (const auto* numbers = std::get_if<std::vector<int64_t>>(&value)) add("list_int", *numbers);
  if (const auto* reals = std::get_if<std::vector<float>>(&value)) add("list_float", *reals);
  if (const auto* flags = std::get_if<std::vector<bool>>(&value)) add("list_bool", *flags);
}

std::string first_input(const graph::Node& node) {
  if (node.input_descs.empty() || node.input_descs[0].type == graph::DataType::Undefined) return "";
  const graph::TensorDesc& desc = node.input_descs[0];
  std::string text = type_text(desc.type) + "_" + std::string(graph::name_of(desc.format));
  for (const int64_t dim : desc.shape) text += "_" + std::to_string(dim);
  return text;
}

dump::OpArgs arguments_of(const graph::Graph& graph, const graph::Node& node, const graph::Schema& schema) {
  json record{{"op_type", node.type},     {"tune_mode", "all"},       {"impl_mode", ""},
              {"deterministic", "false"}, {"deterministic_level", 0}, {"attrs", json::array()}};
  record["platform_info"] = {{"cube_core_cnt", soc().cube_cores}, {"vector_core_cnt", soc().vector_cores}};
  record["inputs"] = side(schema.inputs, node.input_descs,
                          [&](size_t i) { return i < node.inputs.size() ? value_of(graph, node.inputs[i]) : nullptr; });
  record["outputs"] = side(schema.outputs, node.outputs, [](size_t) { return nullptr; });
  for (const auto& attribute : schema.attributes)
    if (const auto found = node.attributes.find(attribute.name); found != node.attributes.end())
      add_attribute(record["attrs"], attribute.name, found->second.value);
  dump::OpArgs made{node.type, first_input(node)};
  made.json_without_binary = json_text(record, 2);
  record["bin_info"] = "";
  record["bin_type"] = 0;
  made.json = json_text(record, 2);
  return made;
}

}  // namespace

void record_arguments(const graph::Graph& graph) {
  for (const graph::Node& node : graph.nodes) {
    if (graph::is_graph_input(node) || graph::is_constant(node)) continue;
    if (const graph::Schema* schema = graph::find_schema(node.type); schema && node.type != "NetOutput")
      dump::op_args().add(arguments_of(graph, node, *schema));
  }
}

}  // namespace belay::api
