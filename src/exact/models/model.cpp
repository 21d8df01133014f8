// SPDX-License-Identifier: Apache-2.0
#include "exact/models/model.h"

#include <algorithm>
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

Result<std::vector<Value>> Operation::again(std::span<const Value> values) const {
  std::vector<graph::DataType> stored;
  for (const Tracked& input : inputs) stored.push_back(input.stored);
  return TRY(compute(node, values, stored)).values;
}

ErrorModel find_error_model(std::string_view op) {
  static const auto* models = [] {
    auto* made = new std::map<std::string_view, ErrorModel>;
    for (const auto family : {movement_models, elementwise_models, product_models, reduction_models})
      for (const ErrorModelRow& row : family()) made->emplace(row.op, row.model);
    return made;
  }();
  const auto found = models->find(op);
  return found == models->end() ? nullptr : found->second;
}

Status not_checkable(const graph::Node& node, const std::string& why) {
  return {ACL_ERROR_GE_FAILURE, formatted("{} {} is not checkable: {}", node.type, node.name, why)};
}

}  // namespace belay::exact
