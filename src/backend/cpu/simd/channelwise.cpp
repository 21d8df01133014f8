// SPDX-License-Identifier: Apache-2.0
// Operators whose second operand belongs to the channels: PRelu, BiasAdd, Bias.
#include "backend/cpu/rows.h"
#include "backend/cpu/simd/elementwise_kernel.h"

namespace belay::backend::cpu {
namespace {

// The same request with the second operand's first dimension at dimension `axis` of the first.
MadeKernel placed_kernel(const KernelRequest& request, size_t axis, Combine f) {
  std::vector<graph::TensorInfo> inputs(request.inputs.begin(), request.inputs.end());
  const size_t rank = inputs[0].shape.size();
  const Shape own = inputs[1].shape;
  if (axis + own.size() > rank) return refuse("the second operand has more dimensions than are left");
  inputs[1].shape.assign(rank, 1);
  for (size_t d = 0; d < own.size(); ++d) inputs[1].shape[axis + d] = own[d];
  auto made = TRY(combine_kernel({request.node, inputs, request.outputs, request.input_layouts, request.threads}, f));
  if (made->wants(1) == Layout::Plain) return made;
  // Its real shape is too short for any other layout.
  const std::vector<Layout> plain(inputs.size(), Layout::Plain);
  return combine_kernel({request.node, inputs, request.outputs, plain, request.threads}, f);
}

MadeKernel make_prelu(const KernelRequest& request) {
  const Shape &x = request.inputs[0].shape, &slopes = request.inputs[1].shape;
  // A list of one slope per channel, unless it fits the last dimension as broadcasting has it.
  const bool of_channels = slopes.size() == 1 && slopes[0] != 1 && x.size() > 1 && slopes[0] != x.back();
  if (of_channels && slopes[0] == x[1]) return placed_kernel(request, 1, Combine::PRelu);
  return combine_kernel(request, Combine::PRelu);
}

MadeKernel make_bias_add(const KernelRequest& request) {
  const size_t rank = request.inputs[0].shape.size();
  const auto format = get_or(request.node.attributes, "data_format", std::string("NHWC"));
  if (rank < 2) return refuse("x must have two dimensions or more");
  return placed_kernel(request, format.size() > 1 && format[1] == 'C' ? 1 : rank - 1, Combine::Add);
}

MadeKernel make_bias(const KernelRequest& request) {
  const auto rank = static_cast<int64_t>(request.inputs[0].shape.size());
  int64_t axis = get_or(request.node.attributes, "axis", int64_t{1});
  if (axis < 0) axis += rank;
  if (axis < 0 || axis >= rank) return refuse("axis is outside x");
  return placed_kernel(request, static_cast<size_t>(axis), Combine::Add);
}

constexpr KernelRow rows[] = {
    {"Bias", "simd", make_bias},
    {"BiasAdd", "simd", make_bias_add},
    {"PRelu", "simd", make_prelu},
};

}  // namespace

std::span<const KernelRow> simd_channelwise_rows() { return rows; }

}  // namespace belay::backend::cpu
