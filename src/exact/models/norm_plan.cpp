// SPDX-License-Identifier: Apache-2.0
#include "exact/models/norm_plan.h"

#include <algorithm>

#include "graph/infer/arguments.h"
#include "graph/infer/window.h"

namespace belay::exact {
namespace {

using graph::get_or;
using graph::Shape;

std::vector<double> reals(const Operation& operation, size_t input) {
  if (!operation.has(input)) return {};
  const auto values = operation.inputs[input].value.doubles();
  return {values.begin(), values.end()};
}

std::vector<int64_t> axes_from(int64_t first, size_t rank) {
  if (first < 0) first += static_cast<int64_t>(rank);
  std::vector<int64_t> axes;
  for (int64_t d = first; d < static_cast<int64_t>(rank); ++d) axes.push_back(d);
  return axes;
}

int64_t inner_of(const Shape& shape, bool channels_last) {
  int64_t inner = 1;
  for (size_t d = 2; d < shape.size() && !channels_last; ++d) inner *= shape[d];
  return inner;
}

NormPlan layer_norm(const Operation& operation) {
  const graph::Node& node = operation.node;
  const Shape& shape = operation.inputs[0].value.shape;
  const bool fourth = node.type == "LayerNormV4";
  int64_t first = get_or(node.attributes, "begin_norm_axis", int64_t{0});
  if (fourth) first = -graph::element_count(operation.inputs[1].value.shape);
  NormPlan plan{Groups(shape, axes_from(first, shape.size())), reals(operation, 0)};
  plan.epsilon = get_or(node.attributes, "epsilon", node.type == "LayerNorm" ? 1e-7f : 1e-5f);
  plan.gain = reals(operation, fourth ? 2 : 1);
  plan.shift = reals(operation, fourth ? 3 : 2);
  plan.mean_output = 1;
  (node.type == "LayerNorm" ? plan.variance_output : plan.deviation_output) = 2;
  return plan;
}

NormPlan instance_norm(const Operation& operation) {
  const Shape& shape = operation.inputs[0].value.shape;
  const bool last = graph::data_format_of(operation.node, "NDHWC").ends_with('C');
  std::vector<int64_t> axes;
  for (size_t d = 1; d < shape.size(); ++d)
    if (d != (last ? shape.size() - 1 : 1)) axes.push_back(static_cast<int64_t>(d));
  NormPlan plan{Groups(shape, axes), reals(operation, 0)};
  plan.epsilon = get_or(operation.node.attributes, "epsilon", 1e-6f);
  plan.gain = reals(operation, 1);
  plan.shift = reals(operation, 2);
  plan.inner = inner_of(shape, last);
  plan.mean_output = 1;
  plan.variance_output = 2;
  return plan;
}

NormPlan group_norm(const Operation& operation) {
  const graph::Node& node = operation.node;
  const Shape& shape = operation.inputs[0].value.shape;
  const int64_t count = get_or(node.attributes, "num_groups", int64_t{1});
  const bool last =
      shape.size() > 2 && graph::data_format_of(node, node.type == "GroupNormV2" ? "NHWC" : "NCHW").ends_with('C');
  const size_t channel = last ? shape.size() - 1 : 1;
  Shape grouped = shape;
  grouped[channel] /= count;
  grouped.insert(grouped.begin() + static_cast<std::ptrdiff_t>(channel), count);
  std::vector<int64_t> axes;
  for (size_t d = 1; d < grouped.size(); ++d)
    if (d != channel) axes.push_back(static_cast<int64_t>(d));
  NormPlan plan{Groups(grouped, axes), reals(operation, 0)};
  plan.epsilon = get_or(node.attributes, "eps", node.type == "GroupNorm" ? 1e-4f : 1e-5f);
  plan.gain = reals(operation, 1);
  plan.shift = reals(operation, 2);
  plan.inner = inner_of(shape, last);
  if ((node.type == "GroupNormSilu" && get_or(node.attributes, "activate_silu", true)) ||
      (node.type == "GroupNormSwish" && get_or(node.attributes, "activate_swish", true)))
    plan.swish = get_or(node.attributes, "swish_scale", 1.0f);
  plan.mean_output = 1;
  (node.type == "GroupNorm" ? plan.variance_output : plan.deviation_output) = 2;
  return plan;
}

NormPlan mvn(const Operation& operation) {
  const graph::Node& node = operation.node;
  const Shape& shape = operation.inputs[0].value.shape;
  auto axes = get_or(node.attributes, "axes", std::vector<int64_t>{0, 2, 3});
  if (node.type == "MVN") axes = axes_from(get_or(node.attributes, "across_channels", false) ? 1 : 2, shape.size());
  NormPlan plan{Groups(shape, axes), reals(operation, 0)};
  plan.divides = node.type != "MVN" || get_or(node.attributes, "normalize_variance", true);
  plan.epsilon = get_or(node.attributes, "eps", 1e-9f);
  plan.epsilon_outside = true;
  return plan;
}

Groups rows_of(const Operation& operation, size_t gain) {
  const int64_t length = operation.inputs[gain].value.count(), count = operation.inputs[0].value.count();
  return Groups({count / std::max<int64_t>(1, length), length}, {1});
}

void add(std::vector<double>& x, const std::vector<double>& other) {
  for (size_t i = 0; i < x.size() && !other.empty(); ++i) x[i] += other[i % other.size()];
}

NormPlan rms_norm(const Operation& operation) {
  const bool adds = operation.node.type == "AddRmsNorm";
  const size_t gain = adds ? 2 : 1;
  NormPlan plan{rows_of(operation, gain), reals(operation, 0)};
  if (adds) add(plan.x, reals(operation, 1));
  plan.added = adds;
  plan.centred = false;
  plan.epsilon = get_or(operation.node.attributes, "epsilon", 1e-6f);
  plan.gain = reals(operation, gain);
  plan.deviation_output = 1;
  if (adds) plan.sum_output = 2;
  return plan;
}

NormPlan add_layer_norm(const Operation& operation) {
  NormPlan plan{rows_of(operation, 2), reals(operation, 0)};
  add(plan.x, reals(operation, 1));
  add(plan.x, reals(operation, 4));
  plan.added = true;
  plan.epsilon = get_or(operation.node.attributes, "epsilon", 1e-5f);
  plan.gain = reals(operation, 2);
  plan.shift = reals(operation, 3);
  plan.mean_output = 1;
  plan.deviation_output = 2;
  plan.sum_output = 3;
  return plan;
}

NormPlan l2_normalize(const Operation& operation) {
  const Shape& shape = operation.inputs[0].value.shape;
  auto axes = get_or(operation.node.attributes, "axis", std::vector<int64_t>{});
  if (axes.empty()) axes = axes_from(0, shape.size());
  NormPlan plan{Groups(shape, axes), reals(operation, 0)};
  plan.centred = false;
  plan.largest = true;
  plan.epsilon = get_or(operation.node.attributes, "eps", 1e-4f);
  return plan;
}

}  // namespace

Result<NormPlan> plan_norm(const Operation& operation) {
  const std::string& type = operation.node.type;
  if (type.starts_with("LayerNorm")) return layer_norm(operation);
  if (type == "InstanceNorm") return instance_norm(operation);
  if (type.starts_with("GroupNorm")) return group_norm(operation);
  if (type.starts_with("MVN")) return mvn(operation);
  if (type.ends_with("RmsNorm")) return rms_norm(operation);
  if (type == "AddLayerNorm") return add_layer_norm(operation);
  if (type == "L2Normalize") return l2_normalize(operation);
  return not_checkable(operation.node, "it is no norm that is known here");
}

}  // namespace belay::exact
