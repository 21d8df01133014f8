// SPDX-License-Identifier: Apache-2.0
#include "exact/models/broadcast.h"

namespace belay::exact {
namespace {

graph::Shape strides_of(graph::Shape input, const graph::Shape& output, bool channels) {
  if (channels && input.size() + 1 <= output.size() && output.size() > 1) {
    if (input.size() == 1) input.insert(input.begin(), 1);
    while (input.size() < output.size()) input.push_back(1);
  }
  graph::Shape strides(output.size(), 0);
  int64_t step = 1;
  for (size_t d = 0; d < input.size() && d < output.size(); ++d) {
    const size_t from = input.size() - 1 - d, to = output.size() - 1 - d;
    if (input[from] != 1) strides[to] = step;
    step *= input[from];
  }
  return strides;
}

}  // namespace

Broadcast::Broadcast(const Operation& operation, const graph::Shape& output) : shape_(output) {
  for (size_t i = 0; i < operation.inputs.size() && i < most; ++i) {
    const Value& value = operation.inputs[i].value;
    const bool reads = value.present && value.real();
    inputs_.push_back(reads ? value.doubles() : std::span<const double>());
    strides_.push_back(reads ? strides_of(value.shape, output, i == 1 && operation.node.type == "PRelu")
                             : graph::Shape(output.size(), 0));
    if (reads && value.shape != output) plain_ = false;
  }
}

}  // namespace belay::exact
