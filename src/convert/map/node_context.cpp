// SPDX-License-Identifier: Apache-2.0
#include "convert/map/node_context.h"

#include "base/half.h"
#include "base/text.h"
#include "convert/map/numbers.h"
#include "convert/onnx/graph_importer.h"

namespace belay::convert {

Result<size_t> NodeContext::axis_within(int64_t axis, int rank) const {
  if (rank >= 0 && axis >= -rank && axis < rank) return static_cast<size_t>(axis < 0 ? axis + rank : axis);
  if (rank < 0) return fail("the rank of its input is not known");
  return Status{ACL_ERROR_PARSE_MODEL, formatted("axis {} is not one of a tensor of rank {}", axis, rank)};
}

Status NodeContext::require_few(int64_t elements) const {
  constexpr int64_t most = int64_t{1} << 26;
  if (elements >= 0 && elements <= most) return {};
  return fail(formatted("a constant of {} elements would be needed", elements));
}

using Kind = onnx::Attribute::Kind;

NodeContext::NodeContext(GraphImporter& importer, const onnx::Node& node, std::string name, int64_t opset)
    : node(node), name(std::move(name)), opset(opset), importer_(importer) {
  for (const auto& tensor : node.inputs) {
    inputs_.push_back(tensor.empty() ? Edge{} : importer.find(tensor));
    if (!tensor.empty() && !inputs_.back().connected() && status_.ok() && !importer.collection(tensor))
      status_ = fail("input " + tensor + " is neither made by a node nor an input of the graph");
  }
  while (!inputs_.empty() && !inputs_.back().connected()) inputs_.pop_back();
}

TensorInfo NodeContext::info(Edge edge) const { return importer_.builder().info(edge); }

int NodeContext::rank(Edge edge) const {
  const Shape shape = info(edge).shape;
  return shape == Shape{-2} ? -1 : static_cast<int>(shape.size());
}

std::optional<std::vector<int64_t>> NodeContext::ints(size_t input) const {
  const Constant* known = value(input);
  return known ? read_ints(*known) : std::nullopt;
}

std::optional<std::vector<float>> NodeContext::floats(size_t input) const {
  const Constant* known = value(input);
  return known ? read_floats(*known) : std::nullopt;
}

int64_t NodeContext::integer(std::string_view attribute, int64_t fallback) const {
  const auto* found = node.find(attribute);
  return found && found->kind == Kind::Int ? found->i : fallback;
}

float NodeContext::real(std::string_view attribute, float fallback) const {
  const auto* found = node.find(attribute);
  return found && found->kind == Kind::Float ? found->f : fallback;
}

std::string NodeContext::text(std::string_view attribute, std::string fallback) const {
  const auto* found = node.find(attribute);
  return found && found->kind == Kind::String ? found->s : std::move(fallback);
}

std::vector<int64_t> NodeContext::integers(std::string_view attribute, std::vector<int64_t> fallback) const {
  const auto* found = node.find(attribute);
  return found && found->kind == Kind::Ints ? found->ints : std::move(fallback);
}

std::vector<float> NodeContext::reals(std::string_view attribute, std::vector<float> fallback) const {
  const auto* found = node.find(attribute);
  return found && found->kind == Kind::Floats ? found->floats : std::move(fallback);
}

std::vector<std::string> NodeContext::texts(std::string_view attribute) const {
  const auto* found = node.find(attribute);
  return found && found->kind == Kind::Strings ? found->strings : std::vector<std::string>{};
}

const onnx::Graph* NodeContext::graph(std::string_view attribute) const {
  const auto* found = node.find(attribute);
  return found ? found->g.get() : nullptr;
}

Edge NodeContext::add_node(graph::Node made, const std::string& suffix) {
  auto& builder = importer_.builder();
  Status added = builder.add(std::move(made));
  if (!added.ok() && status_.ok()) status_ = std::move(added);
  added_.emplace_back(builder.last(), suffix);
  return {builder.last(), 0};
}

Edge NodeContext::add(const OpName& op, std::vector<Edge> inputs, Attributes attributes, size_t outputs) {
  while (!inputs.empty() && !inputs.back().connected()) inputs.pop_back();
  graph::Node made{.name = name, .type = std::string(op.type), .inputs = std::move(inputs)};
  made.attributes = std::move(attributes);
  made.outputs.resize(outputs);
  return add_node(std::move(made), op.suffix);
}

Edge NodeContext::add_control(const OpName& op, std::vector<Edge> inputs, std::vector<std::string> subgraphs,
                              size_t outputs) {
  graph::Node made{.name = name, .type = std::string(op.type), .inputs = std::move(inputs)};
  made.outputs.resize(outputs);
  made.subgraphs = std::move(subgraphs);
  return add_node(std::move(made), op.suffix);
}

Edge NodeContext::constant(std::string suffix, Constant value) {
  Attributes attributes;
  attributes["value"] = std::move(value);
  return add({"Const", std::move(suffix)}, {}, std::move(attributes));
}

Edge NodeContext::int_constant(std::string suffix, const std::vector<int64_t>& values, DataType type) {
  return constant(std::move(suffix), make_ints(values, {static_cast<int64_t>(values.size())}, type));
}

Edge NodeContext::int_scalar(std::string suffix, int64_t value, DataType type) {
  return constant(std::move(suffix), make_ints({value}, {}, type));
}

Edge NodeContext::scalar(std::string suffix, double value, DataType type) {
  return constant(std::move(suffix), make_numbers({value}, {}, type));
}

Edge NodeContext::cast(std::string suffix, Edge x, DataType type) {
  return add({"Cast", std::move(suffix)}, {x}, {{"dst_type", static_cast<int64_t>(type)}});
}

void NodeContext::give(size_t output, Edge edge) {
  if (!wanted(output)) return;
  auto& producer = importer_.builder().node(edge.node);
  const auto index = static_cast<size_t>(edge.output);
  if (index >= producer.outputs.size()) producer.outputs.resize(index + 1);
  producer.outputs[index].attributes["_origin_output_tensor_name"] = node.outputs[output];
  importer_.bind(node.outputs[output], edge);
}

void NodeContext::give_all(Edge first) {
  for (size_t i = 0; i < node.outputs.size(); ++i) give(i, {first.node, static_cast<int>(i)});
}

void NodeContext::finish() {
  auto& builder = importer_.builder();
  if (added_.size() == 1 && !long_names_) {
    builder.node(added_.front().first).name = name;
    return;
  }
  int& counter = importer_.state().replacement;
  for (const Edge input : inputs_) counter += input.connected();  // the vendor's expansion has a Data for each
  counter += skipped_;
  for (const auto& [index, suffix] : added_) {
    auto& added = builder.node(index);
    added.name = importer_.unique_name(formatted("PartitionedCall_{}_{}_{}", name, suffix, counter++));
    added.attributes["_datadump_original_op_names"] = std::vector<std::string>{name};
  }
}

}  // namespace belay::convert
