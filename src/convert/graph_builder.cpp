// SPDX-License-Identifier: Apache-2.0
#include "convert/graph_builder.h"

#include <algorithm>

#include "convert/fold.h"
#include "graph/infer/values.h"
#include "graph/model/schema.h"

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

// Operators with data_format see the inputs of its rank in that format.
void set_input_formats(graph::Node& node) {
  const auto* named = graph::get_if<std::string>(node.attributes, "data_format");
  if (!named) return;
  for (auto& input : node.input_descs)
    if (input.shape.size() == named->size()) input.format = input.origin_format = graph::format_named(*named);
}

// As many outputs as the schema declares; for dynamic ones, as many as the caller asked for.
void describe_unknown(graph::Node& node) {
  const graph::Schema* schema = graph::find_schema(node.type);
  const auto dynamic = [](const graph::Port& port) { return port.kind == graph::PortKind::Dynamic; };
  if (schema && std::none_of(schema->outputs.begin(), schema->outputs.end(), dynamic))
    node.outputs.resize(schema->outputs.size());
  for (auto& output : node.outputs) describe(output, DataType::Undefined, {-2}, graph::Format::ND);
}

// Sizes that only the kernel makes exact are not known here.
void forget_bounds(graph::InferContext& context) {
  for (const auto& [output, dim] : context.bounds) context.outputs[output].shape[dim] = -1;
  if (!context.bounds.empty()) return;
  for (auto& output : context.outputs)
    if (output.shape != Shape{-2}) std::fill(output.shape.begin(), output.shape.end(), -1);
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
  } else if (const auto some = partials_.find({edge.node, edge.output}); some != partials_.end()) {
    info.partial = &some->second;
  }
  return info;
}

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

void GraphBuilder::add_values(const graph::Node& node, std::span<const TensorInfo> inputs,
                              std::span<const TensorInfo> outputs) {
  const int index = last();
  auto known = graph::known_values(node, inputs, outputs);
  bool complete = !outputs.empty();
  for (size_t i = 0; i < outputs.size(); ++i) {
    const std::pair<int, int> place{index, static_cast<int>(i)};
    if (i >= known.size() || !known[i]) {
      complete = false;
    } else if (auto constant = graph::to_constant(outputs[i].type, outputs[i].shape, *known[i])) {
      values_[place] = std::move(*constant);
    } else {
      partials_[place] = std::move(*known[i]);
      complete = false;
    }
  }
  if (complete) return;
  auto values = fold(node, inputs, outputs);
  for (size_t i = 0; i < values.size(); ++i) values_[{index, static_cast<int>(i)}] = std::move(values[i]);
}

Status GraphBuilder::infer(graph::Node& node, std::span<const TensorInfo> inputs) {
  describe_unknown(node);
  TRY(graph::apply_defaults(node));
  set_input_formats(node);
  if (node.subgraphs.empty() && !graph::find_infer_rule(node.type)) return {};
  graph::InferContext context(node, inputs);
  context.model = model_;
  TRY(graph::infer(context));
  if (context.data_dependent) forget_bounds(context);
  node.outputs.resize(std::max(node.outputs.size(), context.outputs.size()));
  for (size_t i = 0; i < context.outputs.size(); ++i) {
    const auto& output = context.outputs[i];
    describe(node.outputs[i], output.type, output.shape, output_format(node, output.shape));
  }
  if (!context.data_dependent && node.type != "Const") add_values(node, inputs, context.outputs);
  return {};
}

Status GraphBuilder::add(graph::Node node) {
  std::vector<TensorInfo> inputs;
  for (const Edge edge : node.inputs) inputs.push_back(info(edge));
  add_described(std::move(node));
  return infer(graph_.nodes.back(), inputs);
}

}  // namespace belay::convert
