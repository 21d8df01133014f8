// SPDX-License-Identifier: Apache-2.0
#include "exact/models/model.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/text.h"

namespace belay::exact {

bool Operation::inexact() const {
  return std::ranges::any_of(inputs, [](const Tracked& input) { return input.errors != nullptr; });
}

std::vector<Value> Operation::values() const {
  std::vector<Value> made;
  for (const Tracked& input : inputs) made.push_back(input.value);
  return made;
}

namespace {

std::vector<graph::DataType> stored_types(std::span<const Tracked> inputs) {
  std::vector<graph::DataType> stored;
  for (const Tracked& input : inputs) stored.push_back(input.stored);
  return stored;
}

}  // namespace

Result<std::vector<Value>> Operation::again(std::span<const Value> values) const {
  return TRY(compute(node, values, stored_types(inputs))).values;
}

Result<std::vector<Value>> Operation::again_in_float(std::span<const Value> values) const {
  return compute_in_float(node, values, stored_types(inputs));
}

ErrorModel find_error_model(std::string_view op) {
  static const auto* models = [] {
    auto* made = new std::map<std::string_view, ErrorModel>;
    for (const auto family : {movement_models, elementwise_models, product_models, sum_models, norm_models,
                              softmax_models, discrete_models, sampled_models})
      for (const ErrorModelRow& row : family()) made->emplace(row.op, row.model);
    return made;
  }();
  const auto found = models->find(op);
  return found == models->end() ? nullptr : found->second;
}

std::vector<Value> magnitudes(const Operation& operation, bool widened) {
  std::vector<Value> made = operation.values();
  for (size_t i = 0; i < made.size(); ++i) {
    if (!made[i].present || !made[i].real()) continue;
    const auto x = made[i].doubles();
    std::vector<double> sizes(x.size());
    for (size_t e = 0; e < sizes.size(); ++e)
      sizes[e] = std::fabs(x[e]) + (widened ? error_at(operation.inputs[i], static_cast<int64_t>(e)) : 0);
    made[i] = make_value(made[i].shape, sizes);
  }
  return made;
}

Status move_together(const Operation& operation, std::span<Tracked> outputs) {
  if (!operation.inexact()) return {};
  std::vector<std::vector<double>> spreads(outputs.size());
  for (const double side : {-1.0, 1.0}) {
    std::vector<Value> values = operation.values();
    for (size_t i = 0; i < values.size(); ++i) {
      if (!operation.inputs[i].errors) continue;
      std::vector<double> moved(values[i].doubles().begin(), values[i].doubles().end());
      for (size_t e = 0; e < moved.size(); ++e) moved[e] += side * (*operation.inputs[i].errors)[e];
      values[i] = make_value(values[i].shape, moved);
    }
    const auto made = TRY(operation.again(values));
    for (size_t o = 0; o < outputs.size(); ++o) {
      if (!outputs[o].value.real()) return not_checkable(operation.node, "it chooses by values that may be rounded");
      spreads[o].resize(static_cast<size_t>(outputs[o].value.count()));
      for (size_t e = 0; e < spreads[o].size(); ++e)
        spreads[o][e] = std::max(spreads[o][e], error_between(made[o].doubles()[e], outputs[o].value.doubles()[e]));
    }
  }
  for (size_t o = 0; o < outputs.size(); ++o)
    outputs[o].errors = std::make_shared<const std::vector<double>>(std::move(spreads[o]));
  return {};
}

double repeated_part(const Value& value) {
  const auto x = value.doubles();
  if (x.size() < 2) return 0;
  size_t equal = 0;
  for (size_t i = 1; i < x.size(); ++i) equal += x[i] == x[i - 1] && x[i] != 0;
  return static_cast<double>(equal) / static_cast<double>(x.size() - 1);
}

Status not_checkable(const graph::Node& node, const std::string& why) {
  return {ACL_ERROR_GE_FAILURE, formatted("{} {} is not checkable: {}", node.type, node.name, why)};
}

}  // namespace belay::exact
