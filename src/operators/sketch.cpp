// SPDX-License-Identifier: Apache-2.0
#include "operators/sketch.h"

#include <algorithm>

#include "base/text.h"
#include "graph/tensor/element.h"
#include "opdev/op_errno.h"
#include "operators/roundings.h"

namespace belay::operators {
namespace {

// A number as an element: whole ones keep their low bits, floats are rounded once.
template <class T, class S>
T element_of(S value) {
  using namespace graph;
  if constexpr (is_integer<T>)
    return static_cast<T>(std::is_same_v<S, double> ? Value::limited(static_cast<double>(value))
                                                    : static_cast<int64_t>(value));
  else if constexpr (is_narrow_float<T>)
    return T(halfway_float(value));
  else
    return static_cast<T>(static_cast<compute_t<T>>(value));
}

// `exact` is cleared when a type of 16 bits could not hold a value.
template <class S>
Result<graph::Constant> constant_of(DataType type, const Shape& shape, const std::vector<S>& values, bool& exact) {
  using namespace graph;
  return with_type(AllTypes{}, type, [&]<class T>() -> Result<graph::Constant> {
    std::vector<T> elements;
    elements.reserve(values.size());
    for (const S value : values) {
      elements.push_back(element_of<T>(value));
      if constexpr (is_narrow_float<T>)
        exact = exact && (static_cast<S>(float(elements.back())) == value || value != value);
    }
    return graph::make_constant(type, shape, elements);
  });
}

}  // namespace

Status invalid(std::string why) { return {ACLNN_ERR_PARAM_INVALID, std::move(why)}; }

Status need(const Value& value) {
  if (value.present()) return {};
  return {ACLNN_ERR_PARAM_NULLPTR, "parameter " + value.text + " must not be null"};
}

Value Sketch::output_of(int node, size_t output) const {
  const auto& desc = builder_.node(node).outputs[output];
  Value value{.kind = Value::Kind::Tensor, .type = desc.type, .shape = desc.shape};
  value.edge = {node, static_cast<int>(output)};
  return value;
}

Value Sketch::input(DataType type, const Shape& shape, graph::Format format) {
  graph::Node node{.name = "input" + std::to_string(inputs_), .type = "Data"};
  node.outputs.push_back(
      {.type = type, .shape = shape, .format = format, .origin_shape = shape, .origin_format = format});
  node.attributes["index"] = int64_t{inputs_++};
  builder_.add_described(std::move(node));
  return output_of(builder_.last(), 0);
}

template <class S>
Value Sketch::add_constant(DataType type, const Shape& shape, const std::vector<S>& values) {
  graph::Node node{.name = "constant" + std::to_string(names_++), .type = "Const"};
  node.outputs.push_back({.type = type, .shape = shape, .origin_shape = shape});
  bool exact = true;
  auto made = constant_of(type, shape, values, exact);
  if (made.ok()) node.attributes["value"] = *made;
  builder_.add_described(std::move(node));
  if (!exact) inexact_.push_back(builder_.last());
  return output_of(builder_.last(), 0);
}

Value Sketch::constant(DataType type, const Shape& shape, const std::vector<double>& values) {
  return add_constant(type, shape, values);
}

Value Sketch::constant(DataType type, const Shape& shape, const std::vector<int64_t>& values) {
  return add_constant(type, shape, values);
}

Value Sketch::number(DataType type, const Value& value) {
  return value.whole() ? constant(type, {}, std::vector<int64_t>{value.integer}) : scalar(type, value.number);
}

Value Sketch::indices(const std::vector<int64_t>& values) {
  return constant(DataType::Int64, {static_cast<int64_t>(values.size())}, values);
}

Result<Values> Sketch::ops(const std::string& type, const Values& inputs, graph::Attributes attributes,
                           size_t outputs) {
  graph::Node node{.name = type + std::to_string(names_++), .type = type, .attributes = std::move(attributes)};
  std::vector<graph::Edge> edges;
  for (const Value& value : inputs) {
    if (value.kind == Value::Kind::List)
      for (const Value& member : value.list) edges.push_back(member.edge);
    else if (value.kind == Value::Kind::Number)
      edges.push_back(number(value.type, value).edge);
    else if (value.kind == Value::Kind::Numbers)
      edges.push_back(indices(value.ints()).edge);
    else
      edges.push_back(value.edge);  // of an absent one: open
  }
  while (!edges.empty() && !edges.back().connected()) edges.pop_back();
  node.inputs = std::move(edges);
  node.outputs.resize(outputs);
  Status added = builder_.add(std::move(node));
  if (!added.ok()) return invalid(added.message);
  const int index = builder_.last();
  Values made;
  for (size_t i = 0; i < builder_.node(index).outputs.size(); ++i) made.push_back(output_of(index, i));
  if (made.empty() || made[0].type == DataType::Undefined) return invalid("the types of " + type + " are not known");
  return made;
}

Result<Value> Sketch::op(const std::string& type, const Values& inputs, graph::Attributes attributes) {
  return TRY(ops(type, inputs, std::move(attributes)))[0];
}

Result<Value> Sketch::cast(const Value& value, DataType type) {
  if (value.kind == Value::Kind::Number) return number(type, value);
  TRY(need(value));
  if (value.type == type) return value;
  return op("Cast", {value}, {{"dst_type", static_cast<int64_t>(type)}});
}

Result<Value> Sketch::reshape(const Value& value, const Shape& shape) {
  if (value.shape == shape) return value;
  return op("Reshape", {value, indices(shape)});
}

Result<Value> Sketch::permute(const Value& value, const std::vector<int64_t>& order) {
  if (std::ranges::is_sorted(order)) return value;
  return op("Transpose", {value, indices(order)});
}

Result<Value> Sketch::expand(const Value& value, const Shape& shape) {
  if (value.shape == shape) return value;
  return op("BroadcastTo", {value, indices(shape)});
}

bool Sketch::rounds_on_the_way() const { return operators::rounds_on_the_way(builder_.graph(), inexact_); }

graph::Graph Sketch::finish(const Values& results) {
  graph::Node node{.name = "Node_Output", .type = "NetOutput"};
  for (const Value& result : results) node.inputs.push_back(result.edge);
  builder_.add_described(std::move(node));
  return builder_.take();
}

}  // namespace belay::operators
