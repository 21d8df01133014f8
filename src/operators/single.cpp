// SPDX-License-Identifier: Apache-2.0
#include "operators/single.h"

#include <algorithm>
#include <atomic>
#include <bit>

#include "base/text.h"
#include "graph/infer/infer.h"
#include "graph/model/schema.h"
#include "operators/plan_cache.h"

namespace belay::operators {
namespace {

using graph::DataType;
using graph::Node;

Status wrong(std::string why) { return {ACL_ERROR_OP_NOT_FOUND, std::move(why)}; }

bool is_open(const graph::TensorDesc& desc) { return desc.type == DataType::Undefined; }

// How many of these ports a call may have: at least, at most.
std::pair<size_t, size_t> allowed(const std::vector<graph::Port>& ports) {
  size_t least = 0, most = 0;
  for (size_t i = 0; i < ports.size(); ++i) {
    if (ports[i].kind == graph::PortKind::Required) least = i + 1;
    most = ports[i].kind == graph::PortKind::Dynamic ? SIZE_MAX : most == SIZE_MAX ? most : most + 1;
  }
  return {least, most};
}

Status check_ports(const OperatorRequest& request, const std::vector<graph::Port>& ports, size_t given,
                   const char* what) {
  const auto [least, most] = allowed(ports);
  if (given >= least && given <= most) return {};
  std::string names;
  for (const auto& port : ports) names += (names.empty() ? "" : ", ") + port.name;
  return wrong(formatted("{} has {} {} ({}), the call gives {}", request.type, ports.size(), what, names, given));
}

Status check_schema(const OperatorRequest& request) {
  const graph::Schema* schema = graph::find_schema(request.type);
  if (!schema && graph::find_infer_rule(request.type)) return {};  // the rule checks what it needs
  if (!schema) return wrong(formatted("there is no operator \"{}\"; docs/operators.md lists them", request.type));
  TRY(check_ports(request, schema->inputs, request.inputs.size(), "inputs"));
  TRY(check_ports(request, schema->outputs, request.outputs.size(), "outputs"));
  const auto names = graph::port_names(schema->inputs, request.inputs.size());
  for (size_t i = 0; i < request.inputs.size(); ++i)
    if (is_open(request.inputs[i]) && i < schema->inputs.size() && schema->inputs[i].kind == graph::PortKind::Required)
      return wrong(formatted("{}: input {} ({}) is required", request.type, i, names[i]));
  return {};
}

Node constant_node(const graph::Constant& value, const graph::TensorDesc& desc, size_t index) {
  Node node{.name = "constant" + std::to_string(index), .type = "Const", .outputs = {desc}};
  node.attributes["value"] = value;
  return node;
}

Node data_node(const graph::TensorDesc& desc, size_t index, size_t port) {
  Node node{.name = "input" + std::to_string(index), .type = "Data", .outputs = {desc}};
  node.inputs = {};
  node.attributes["index"] = static_cast<int64_t>(port);
  return node;
}

std::string next_name(const std::string& type) {
  static std::atomic<uint64_t> count{0};
  return type + std::to_string(++count);
}

// The operator between Data and Const nodes and a NetOutput.
graph::Graph graph_of(const OperatorRequest& request, Node node, std::vector<size_t>& taken) {
  graph::Graph graph;
  graph.name = node.name;
  for (size_t i = 0; i < request.inputs.size(); ++i) {
    node.inputs.push_back(is_open(request.inputs[i]) ? graph::Edge{}
                                                     : graph::Edge{static_cast<int>(graph.nodes.size()), 0});
    if (is_open(request.inputs[i])) continue;
    if (request.values[i]) {
      graph.nodes.push_back(constant_node(*request.values[i], request.inputs[i], i));
    } else {
      graph.nodes.push_back(data_node(request.inputs[i], i, taken.size()));
      taken.push_back(i);
    }
  }
  const int index = static_cast<int>(graph.nodes.size());
  Node output{.name = "Node_Output", .type = "NetOutput"};
  for (size_t i = 0; i < node.outputs.size(); ++i) output.inputs.push_back({index, static_cast<int>(i)});
  output.input_descs = node.outputs;
  graph.nodes.push_back(std::move(node));
  graph.nodes.push_back(std::move(output));
  return graph;
}

Node node_of(const OperatorRequest& request) {
  Node node{.name = request.type, .type = request.type};
  node.input_descs = request.inputs;
  node.outputs = request.outputs;
  node.attributes = request.attributes;
  return node;
}

std::vector<graph::TensorInfo> infos_of(const OperatorRequest& request) {
  std::vector<graph::TensorInfo> infos;
  for (size_t i = 0; i < request.inputs.size(); ++i)
    infos.push_back({request.inputs[i].type, request.inputs[i].shape, request.values[i] ? &*request.values[i] : nullptr,
                     !is_open(request.inputs[i])});
  return infos;
}

// An output may have any shape with as many elements as the operator gives.
Status check_outputs(const OperatorRequest& request, const std::vector<graph::TensorInfo>& results) {
  if (results.size() < request.outputs.size())
    return wrong(formatted("{} gives {} outputs here, the call expects {}", request.type, results.size(),
                           request.outputs.size()));
  for (size_t i = 0; i < request.outputs.size(); ++i) {
    const auto& wanted = request.outputs[i];
    if (is_open(wanted) || !graph::is_known(results[i].shape)) continue;
    if (wanted.type == results[i].type && graph::element_count(wanted.shape) == graph::element_count(results[i].shape))
      continue;
    return wrong(formatted("{}: output {} is {} {}, the call says {} {}", request.type, i,
                           graph::name_of(results[i].type), graph::to_text(results[i].shape),
                           graph::name_of(wanted.type), graph::to_text(wanted.shape)));
  }
  return {};
}

Result<SingleOperator> make_operator(const OperatorRequest& request) {
  TRY(check_schema(request));
  Node node = node_of(request);
  TRY(graph::apply_defaults(node));
  node.name = request.name.empty() ? next_name(request.type) : request.name;
  SingleOperator made;
  made.plan = TRY(Plan::make(graph_of(request, std::move(node), made.inputs)));
  if (made.plan->fixed()) TRY(check_outputs(request, made.plan->outputs()));
  return made;
}

PlanCache<SingleOperator>& cache() {
  static auto& only = *new PlanCache<SingleOperator>;
  return only;
}

void append(std::string& key, const graph::TensorDesc& desc) {
  key += formatted("|{},{},{}", static_cast<int>(desc.type), static_cast<int>(desc.format), graph::to_text(desc.shape));
}

void append(std::string& key, const graph::AttributeValue& value);

template <class T>
void append_element(std::string& key, const T& value) {
  if constexpr (std::is_same_v<T, std::string>)
    key += std::to_string(value.size()) + ":" + value;
  else if constexpr (std::is_same_v<T, float>)
    key += std::to_string(std::bit_cast<uint32_t>(value)) + ",";
  else if constexpr (std::is_same_v<T, std::vector<int64_t>>)
    for (const int64_t element : value) key += std::to_string(element) + ",";
  else
    key += std::to_string(static_cast<int64_t>(value)) + ",";
}

void append(std::string& key, const graph::AttributeValue& value) {
  key += std::to_string(value.index()) + "=";
  std::visit(
      [&]<class T>(const T& held) {
        if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, int64_t> || std::is_same_v<T, float> ||
                      std::is_same_v<T, std::string> || std::is_same_v<T, DataType>)
          append_element(key, held);
        else if constexpr (std::is_same_v<T, std::vector<bool>>)
          for (const bool element : held) key += element ? '1' : '0';
        else if constexpr (std::is_same_v<T, std::vector<int64_t>> || std::is_same_v<T, std::vector<float>> ||
                           std::is_same_v<T, std::vector<std::string>> || std::is_same_v<T, std::vector<DataType>> ||
                           std::is_same_v<T, std::vector<std::vector<int64_t>>>)
          for (const auto& element : held) append_element(key += ';', element);
      },
      value);
}

}  // namespace

Result<SingleOperator> find_operator(const OperatorRequest& request) {
  const std::string key = key_of(request);
  if (auto kept = cache().find(key)) return *kept;
  SingleOperator made = TRY(make_operator(request));
  cache().keep(key, made);
  return made;
}

Result<std::vector<graph::TensorInfo>> infer_outputs(const OperatorRequest& request) {
  TRY(check_schema(request));
  Node node = node_of(request);
  TRY(graph::apply_defaults(node));
  const auto infos = infos_of(request);
  graph::InferContext context(node, infos);
  TRY(graph::infer(context));
  return std::move(context.outputs);
}

std::string key_of(const OperatorRequest& request) {
  std::string key = request.type + ":" + request.name;
  for (const auto& desc : request.inputs) append(key, desc);
  key += ">";
  for (const auto& desc : request.outputs) append(key, desc);
  for (size_t i = 0; i < request.values.size(); ++i)
    if (const auto& value = request.values[i])
      key += formatted("!{}:{}:", i, value->bytes.size()) +
             std::string(reinterpret_cast<const char*>(value->bytes.data()), value->bytes.size());
  for (const auto& [name, attribute] : request.attributes) append(key += "@" + name, attribute.value);
  return key;
}

}  // namespace belay::operators
