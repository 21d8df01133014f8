// SPDX-License-Identifier: Apache-2.0
#include "convert/graph_builder.h"

#include <algorithm>

#include "convert/fold.h"
#include "graph/schema.h"

namespace belay::convert {
namespace {

// GE keeps the format of the first input while the rank stays; operators with data_format say it themselves.
graph::Format output_format(const graph::Node& node, const Shape& shape) {
  if (const auto* named = graph::get_if<std::string>(node.attributes, "data_format"))
    return graph::format_named(*named);
  for (const auto& input : node.input_descs)
    if (input.type != DataType::Undefined) return input.shape.size() == shape.size() ? input.format : graph::Format::ND;
  return graph::Format::ND;
}

void describe(graph::TensorDesc& desc, DataType type, const Shape& shape, graph::Format format) {
  desc.type = type;
  desc.shape = desc.origin_shape = shape;
  desc.format = desc.origin_format = format;
}

// As many outputs as the schema declares; for dynamic ones, as many as the caller asked for.
void describe_unknown(graph::Node& node) {
  const graph::Schema* schema = graph::find_schema(node.type);
  const auto dynamic = [](const graph::Port& port) { return port.kind == graph::PortKind::Dynamic; };
  if (schema && std::none_of(schema->outputs.begin(), schema->outputs.end(), dynamic))
    node.outputs.resize(schema->outputs.size());
  for (auto& output : node.outputs) describe(output, DataType::Undefined, {-2}, graph::Format::ND);
}

}  // namespace

TensorInfo GraphBuilder::info(Edge edge) const {
  if (!edge.connected()) return {.present = false};
  const graph::Node& producer = node(edge.node);
  const auto& desc = producer.outputs[static_cast<size_t>(edge.output)];
  TensorInfo info{desc.type, desc.shape};
  if (const auto found = values_.find({edge.node, edge.output}); found != values_.end()) {
    info.value = &found->second;
  } else if (producer.type == "Const") {
    info.value = graph::get_if<Constant>(producer.attributes, "value");
  }
  return info;
}

void GraphBuilder::set_value(Edge edge, Constant value) { values_[{edge.node, edge.output}] = std::move(value); }

void GraphBuilder::add_described(graph::Node node) {
  node.input_descs.resize(node.inputs.size());
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const Edge edge = node.inputs[i];
    if (!edge.connected()) {
      describe(node.input_descs[i], DataType::Undefined, {}, graph::Format::Reserved);
      continue;
    }
    const auto& desc = this->node(edge.node).outputs[static_cast<size_t>(edge.output)];
    describe(node.input_descs[i], desc.type, desc.shape, desc.format);
  }
  graph_.nodes.push_back(std::move(node));
}

Status GraphBuilder::infer(graph::Node& node, std::span<const TensorInfo> inputs) {
  describe_unknown(node);
  if (const auto* value = node.type == "Const" ? graph::get_if<Constant>(node.attributes, "value") : nullptr) {
    describe(node.outputs[0], value->type, value->shape, graph::Format::ND);
    return {};
  }
  TRY(graph::apply_defaults(node));
  if (!graph::find_infer_rule(node.type)) return {};
  graph::InferContext context(node, inputs);
  TRY(graph::infer(context));
  node.outputs.resize(std::max(node.outputs.size(), context.outputs.size()));
  for (size_t i = 0; i < context.outputs.size(); ++i) {
    const auto& output = context.outputs[i];
    describe(node.outputs[i], output.type, output.shape, output_format(node, output.shape));
  }
  if (context.data_dependent) return {};
  const auto index = static_cast<int>(graph_.nodes.size()) - 1;
  auto values = fold(node, inputs, context.outputs);
  for (size_t i = 0; i < values.size(); ++i) values_[{index, static_cast<int>(i)}] = std::move(values[i]);
  return {};
}

Status GraphBuilder::add(graph::Node node) {
  std::vector<TensorInfo> inputs;
  for (const Edge edge : node.inputs) inputs.push_back(info(edge));
  add_described(std::move(node));
  return infer(graph_.nodes.back(), inputs);
}

}  // namespace belay::convert
