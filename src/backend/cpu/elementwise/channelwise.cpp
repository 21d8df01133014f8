// SPDX-License-Identifier: Apache-2.0
// Operators whose second operand belongs to the channels: PRelu, BiasAdd, Bias, Scale.
#include "backend/cpu/elementwise/binary.h"
#include "backend/cpu/elementwise/integer.h"
#include "backend/cpu/elementwise/ternary.h"
#include "backend/cpu/rows.h"

namespace belay::backend::cpu {

namespace {

// `shape` placed so that its first dimension meets dimension `axis` of a tensor of this rank.
Shape placed(const Shape& shape, size_t axis, size_t rank) {
  Shape result(rank, 1);
  for (size_t d = 0; d < shape.size() && axis + d < rank; ++d) result[axis + d] = shape[d];
  return result;
}

constexpr auto prelu = [](auto x, auto slope) { return x < 0 ? x * slope : x; };

MadeKernel make_prelu(const KernelRequest& request) {
  std::vector<graph::TensorInfo> inputs(request.inputs.begin(), request.inputs.end());
  const Shape& x = inputs[0].shape;
  Shape& weight = inputs[1].shape;
  // A list of one slope per channel, unless it fits the last dimension as broadcasting has it.
  if (weight.size() == 1 && weight[0] != 1 && x.size() > 1 && weight[0] != x.back() && weight[0] == x[1])
    weight = placed(weight, 1, x.size());
  return binary<FloatTypes, prelu>({request.node, inputs, request.outputs, request.input_layouts, request.threads});
}

size_t bias_axis(const KernelRequest& request) {
  const size_t rank = request.inputs[0].shape.size();
  if (request.node.type == "BiasAdd") {
    const auto format = get_or(request.node.attributes, "data_format", std::string("NHWC"));
    return format.size() > 1 && format[1] == 'C' ? 1 : rank - 1;
  }
  const int64_t axis = get_or(request.node.attributes, "axis", int64_t{1});
  return static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(rank) : axis);
}

constexpr auto add = [](auto x, auto bias) {
  if constexpr (std::is_floating_point_v<decltype(x)>)
    return x + bias;
  else
    return wrapping_add(x, bias);
};

MadeKernel make_bias(const KernelRequest& request) {
  std::vector<graph::TensorInfo> inputs(request.inputs.begin(), request.inputs.end());
  inputs[1].shape = placed(inputs[1].shape, bias_axis(request), inputs[0].shape.size());
  return binary<NumberTypes, add>({request.node, inputs, request.outputs, request.input_layouts, request.threads});
}

constexpr auto multiply = [](auto x, auto scale) { return x * scale; };
constexpr auto multiply_add = [](auto x, auto scale, auto bias) { return x * scale + bias; };

MadeKernel make_scale(const KernelRequest& request) {
  std::vector<graph::TensorInfo> inputs(request.inputs.begin(), request.inputs.end());
  const size_t axis = bias_axis(request);
  for (size_t i = 1; i < inputs.size(); ++i)
    if (inputs[i].present) inputs[i].shape = placed(inputs[i].shape, axis, inputs[0].shape.size());
  const KernelRequest aligned{request.node, inputs, request.outputs, request.input_layouts, request.threads};
  if (inputs.size() < 3 || !inputs[2].present) return binary<FloatTypes, multiply>(aligned);
  static constexpr auto table = loop_table<TernaryLoop>(
      FloatTypes{}, []<class T>() -> TernaryLoop { return ternary_loop<T, T, T, T, multiply_add>; });
  return ternary_kernel(aligned, find_loop(table, inputs[0].type));
}

constexpr KernelRow rows[] = {
    {"Bias", "reference", make_bias},
    {"BiasAdd", "reference", make_bias},
    {"PRelu", "reference", make_prelu},
    {"Scale", "reference", make_scale},
};

}  // namespace

std::span<const KernelRow> channelwise_rows() { return rows; }

}  // namespace belay::backend::cpu
