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

}  // namespace

Result<std::vector<Output>> evaluate(const graph::Model& model, const graph::Node& node,
                                     std::span<const Value> inputs) {
  std::vector<Tracked> taken;
  for (size_t i = 0; i < inputs.size(); ++i) taken.push_back({inputs[i], stored_type(node, i, inputs[i])});
  std::vector<Output> outputs;
  for (Tracked& made : TRY(track(model, node, taken))) {
    Output output{std::move(made.value), {}};
    if (output.value.real())
      output.allowed = made.errors ? *made.errors : std::vector<double>(static_cast<size_t>(output.value.count()));
    outputs.push_back(std::move(output));
  }
  return outputs;
}

}  // namespace belay::exact
