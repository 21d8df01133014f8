// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/arguments.h"
#include "backend/cpu/broadcast.h"
#include "backend/cpu/function_kernel.h"
#include "backend/cpu/move/strided_copy.h"
#include "backend/cpu/rows.h"
#include "base/text.h"

namespace belay::backend::cpu {

namespace {

Status transpose(const Tensor& x, const Tensor& y, const std::vector<int64_t>& order) {
  const Shape strides = row_major_strides(x.shape);
  if (order.size() != strides.size())
    return refuse(formatted("perm has {} entries, x {} dimensions", order.size(), strides.size()));
  Shape dims, steps;
  for (const int64_t axis : order) {
    const auto d = static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(strides.size()) : axis);
    if (d >= strides.size()) return refuse(formatted("perm has {}, outside the dimensions of x", axis));
    dims.push_back(x.shape[d]);
    steps.push_back(strides[d]);
  }
  copy_strided(TRY(element_bytes(x.type)), dims, y.data, row_major_strides(dims), x.data, steps);
  return {};
}

MadeKernel make_transpose(const KernelRequest&) {
  return function_kernel(
      [](Inputs in, Outputs out) -> Status { return transpose(in[0], out[0], TRY(integers(in[1]))); });
}

MadeKernel make_transpose_d(const KernelRequest& request) {
  const graph::Attributes& attributes = request.node.attributes;
  auto order = get_or(attributes, "perm", get_or(attributes, "order", std::vector<int64_t>{}));
  return function_kernel([order](Inputs in, Outputs out) { return transpose(in[0], out[0], order); });
}

// Repeats x to the output's shape, which broadcasting allows.
MadeKernel make_expand(const KernelRequest& request) {
  const Shape to = request.outputs[0].shape;
  const Shape& from = request.inputs[0].shape;
  if (from.size() > to.size()) return refuse("x has more dimensions than the output");
  const Shape own = row_major_strides(from);
  Shape strides(to.size(), 0);
  const size_t lead = to.size() - from.size();
  for (size_t d = 0; d < from.size(); ++d)
    if (from[d] != 1) strides[lead + d] = own[d];
  const size_t bytes = TRY(element_bytes(request.inputs[0].type));
  return function_kernel([=](Inputs in, Outputs out) -> Status {
    copy_strided(bytes, to, out[0].data, row_major_strides(to), in[0].data, strides);
    return {};
  });
}

constexpr KernelRow rows[] = {
    {"BroadcastTo", "reference", make_expand},     {"BroadcastToD", "reference", make_expand},
    {"Expand", "reference", make_expand},          {"ExpandD", "reference", make_expand},
    {"Permute", "reference", make_transpose_d},    {"Transpose", "reference", make_transpose},
    {"TransposeD", "reference", make_transpose_d},
};

}  // namespace

std::span<const KernelRow> transpose_rows() { return rows; }

}  // namespace belay::backend::cpu
