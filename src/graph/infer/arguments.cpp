// SPDX-License-Identifier: Apache-2.0
#include "graph/infer/arguments.h"

#include <cstring>

#include "base/half.h"

namespace belay::graph {

int64_t int_of(const Node& node, std::string_view name, int64_t fallback) {
  return get_or<int64_t>(node.attributes, name, fallback);
}

bool flag_of(const Node& node, std::string_view name, bool fallback) {
  if (const auto* number = get_if<int64_t>(node.attributes, name)) return *number != 0;
  return get_or<bool>(node.attributes, name, fallback);
}

std::vector<int64_t> ints_of(const Node& node, std::string_view name) {
  return get_or<std::vector<int64_t>>(node.attributes, name, {});
}

std::string text_of(const Node& node, std::string_view name, std::string fallback) {
  return get_or<std::string>(node.attributes, name, std::move(fallback));
}

DataType type_of(const Node& node, std::string_view name, DataType fallback) {
  if (const auto* number = get_if<int64_t>(node.attributes, name)) return DataType(*number);
  return get_or<DataType>(node.attributes, name, fallback);
}

std::optional<size_t> axis_within(int64_t axis, size_t rank) {
  const auto dims = int64_t(rank);
  if (axis < -dims || axis >= dims) return std::nullopt;
  return size_t(axis < 0 ? axis + dims : axis);
}

Result<size_t> require_axis(const InferContext& context, int64_t axis, size_t rank) {
  if (auto found = axis_within(axis, rank)) return *found;
  return context.fail("axis " + std::to_string(axis) + " is outside a tensor of rank " + std::to_string(rank));
}

Status require_inputs(const InferContext& context, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (!context.has(i)) return context.fail("input " + std::to_string(i) + " is missing");
  return {};
}

std::optional<std::vector<double>> reals(const InferContext& context, size_t input) {
  if (!context.has(input) || !context.inputs[input].value) return std::nullopt;
  const Constant& constant = *context.inputs[input].value;
  const auto widened = [&]<class T>(T (*)()) {
    std::vector<double> values(constant.bytes.size() / sizeof(T));
    for (size_t i = 0; i < values.size(); ++i) {
      T value;
      std::memcpy(&value, constant.bytes.data() + i * sizeof(T), sizeof(T));
      values[i] = constant.type == DataType::Float16 ? half_to_float(uint16_t(value)) : double(value);
    }
    return values;
  };
  if (constant.type == DataType::Float) return widened(static_cast<float (*)()>(nullptr));
  if (constant.type == DataType::Double) return widened(static_cast<double (*)()>(nullptr));
  if (constant.type == DataType::Float16) return widened(static_cast<uint16_t (*)()>(nullptr));
  return std::nullopt;
}

std::optional<int64_t> scalar(const InferContext& context, size_t input) {
  if (!context.has(input)) return std::nullopt;
  const auto values = context.ints(input);
  if (!values || values->empty()) return std::nullopt;
  return values->front();
}

}  // namespace belay::graph
