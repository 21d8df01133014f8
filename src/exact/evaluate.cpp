// SPDX-License-Identifier: Apache-2.0
#include "exact/evaluate.h"

#include "exact/walk.h"

namespace belay::exact {
namespace {

using graph::DataType;

DataType stored_type(const graph::Node& node, size_t input, const Value& value) {
  if (!value.real()) return value.type;
  const bool described = input < node.input_descs.size() && is_float_type(node.input_descs[input].type);
  return described ? node.input_descs[input].type : DataType::Float;
}

std::vector<Tracked> tracked(const graph::Node& node, std::span<const Value> inputs) {
  std::vector<Tracked> made;
  for (size_t i = 0; i < inputs.size(); ++i) made.push_back({inputs[i], stored_type(node, i, inputs[i])});
  return made;
}

}  // namespace

Result<std::vector<Output>> evaluate(const graph::Model& model, const graph::Node& node,
                                     std::span<const Value> inputs) {
  return evaluate(model, node, std::span<const Tracked>(tracked(node, inputs)));
}

Result<std::vector<Output>> evaluate(const graph::Model& model, const graph::Node& node,
                                     std::span<const Tracked> inputs) {
  std::vector<Output> outputs;
  for (Tracked& made : TRY(Walk(model, true).run(node, inputs))) {
    Output output{std::move(made.value), {}};
    if (made.errors)
      output.allowed = *made.errors;
    else if (output.value.real())
      output.allowed.resize(static_cast<size_t>(output.value.count()));
    outputs.push_back(std::move(output));
  }
  return outputs;
}

Result<std::vector<Value>> recompute(const graph::Model& model, const graph::Node& node,
                                     std::span<const Value> inputs) {
  std::vector<Value> values;
  for (Tracked& made : TRY(Walk(model, false).run(node, tracked(node, inputs))))
    values.push_back(std::move(made.value));
  return values;
}

}  // namespace belay::exact
