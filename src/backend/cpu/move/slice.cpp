// SPDX-License-Identifier: Apache-2.0
// Operators that take a regular part of a tensor.
#include "backend/cpu/arguments.h"
#include "backend/cpu/broadcast.h"
#include "backend/cpu/function_kernel.h"
#include "backend/cpu/move/strided_copy.h"
#include "backend/cpu/rows.h"
#include "graph/infer/arguments.h"
#include "graph/infer/slice_plan.h"

namespace belay::backend::cpu {
namespace {

using graph::SlicePlan;
using graph::SliceRequest;

Status take(const std::string& label, const SlicePlan& plan, size_t bytes, const Tensor& x, Tensor& y) {
  if (graph::element_count(plan.count) != y.count()) return failed(label, "the result has another size than planned");
  const Shape strides = row_major_strides(x.shape);
  Shape steps(strides.size());
  int64_t first = 0;
  for (size_t d = 0; d < strides.size(); ++d) {
    if (plan.count[d] > 1) steps[d] = strides[d] * plan.step[d];  // the step of a single element may be any number
    first += strides[d] * plan.begin[d];
  }
  if (y.count() == 0) return {};
  copy_strided(bytes, plan.count, y.data, row_major_strides(plan.count), x.as<std::byte>() + first * int64_t(bytes),
               steps);
  return {};
}

Status take(const std::string& label, const SliceRequest& request, size_t bytes, const Tensor& x, Tensor& y) {
  const auto plan = graph::plan_slice(x.shape, request);
  return plan.ok() ? take(label, *plan, bytes, x, y) : failed(label, plan.status().message);
}

Status take_from(const std::string& label, const std::vector<int64_t>& offsets, size_t bytes, const Tensor& x,
                 Tensor& y) {
  if (offsets.size() != x.shape.size()) return failed(label, "offsets has another length than x has dimensions");
  for (size_t d = 0; d < offsets.size(); ++d)
    if (offsets[d] < 0 || offsets[d] > x.shape[d] - y.shape[d])
      return bad_index(label, offsets[d], int64_t(d), x.shape[d] - y.shape[d] + 1, false);
  return take(label, SlicePlan{offsets, std::vector<int64_t>(offsets.size(), 1), y.shape, y.shape}, bytes, x, y);
}

MadeKernel make_slice(const KernelRequest& request) {
  const size_t bytes = TRY(element_bytes(request.inputs[0].type));
  return function_kernel([=, label = label_of(request.node)](Inputs in, Outputs out) -> Status {
    return take_from(label, TRY(integers(in[1])), bytes, in[0], out[0]);
  });
}

MadeKernel make_slice_d(const KernelRequest& request) {
  const size_t bytes = TRY(element_bytes(request.inputs[0].type));
  return function_kernel(
      [=, offsets = graph::ints_of(request.node, "offsets"), label = label_of(request.node)](
          Inputs in, Outputs out) -> Status { return take_from(label, offsets, bytes, in[0], out[0]); });
}

// x, begin, end, strides; or x, begin, end, axes?, strides?.
template <bool with_axes>
MadeKernel make_strided_slice(const KernelRequest& request) {
  const size_t bytes = TRY(element_bytes(request.inputs[0].type));
  const auto masks = graph::slice_masks(request.node);
  return function_kernel([=, label = label_of(request.node)](Inputs in, Outputs out) -> Status {
    const auto optional = [&](size_t input) -> Result<std::vector<int64_t>> {
      if (input >= in.size() || !in[input].present) return std::vector<int64_t>{};
      return integers(in[input]);
    };
    SliceRequest wanted = masks;
    wanted.begin = TRY(integers(in[1]));
    wanted.end = TRY(integers(in[2]));
    if (with_axes) wanted.axes = TRY(optional(3));
    wanted.strides = TRY(optional(with_axes ? 4 : 3));
    return take(label, wanted, bytes, in[0], out[0]);
  });
}

MadeKernel make_strided_slice_d(const KernelRequest& request) {
  const size_t bytes = TRY(element_bytes(request.inputs[0].type));
  auto wanted = graph::slice_masks(request.node);
  wanted.begin = graph::ints_of(request.node, "begin");
  wanted.end = graph::ints_of(request.node, "end");
  wanted.strides = graph::ints_of(request.node, "strides");
  const auto plan = TRY(graph::plan_slice(request.inputs[0].shape, wanted));
  return function_kernel([=, label = label_of(request.node)](Inputs in, Outputs out) -> Status {
    return take(label, plan, bytes, in[0], out[0]);
  });
}

constexpr KernelRow rows[] = {
    {"Slice", "reference", make_slice},
    {"SliceD", "reference", make_slice_d},
    {"StridedSlice", "reference", make_strided_slice<false>},
    {"StridedSliceV2", "reference", make_strided_slice<true>},
    {"StridedSliceV3", "reference", make_strided_slice<true>},
    {"StridedSliceD", "reference", make_strided_slice_d},
};

}  // namespace

std::span<const KernelRow> slice_rows() { return rows; }

}  // namespace belay::backend::cpu
