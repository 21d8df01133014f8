// SPDX-License-Identifier: Apache-2.0
// Parts of a tensor that are given other values: MaskedScatter, StridedSliceAssign; and TileWithAxis.
#include "backend/cpu/move/assign.h"

#include <cstring>

#include "backend/cpu/arguments.h"
#include "backend/cpu/function_kernel.h"
#include "base/text.h"
#include "graph/infer/arguments.h"
#include "graph/infer/slice_plan.h"

namespace belay::backend::cpu {
namespace {

void begin_with(const Tensor& x, Tensor& y) {
  if (x.data != y.data && y.bytes() > 0) std::memcpy(y.data, x.data, y.bytes());
}

// The place of element i of a shape in a mask that broadcasts to it.
int64_t mask_place(const Shape& mask, const Shape& shape, int64_t i) {
  int64_t at = 0, step = 1;
  const size_t missing = shape.size() - mask.size();
  for (size_t d = shape.size(); d-- > missing; i /= shape[d]) {
    const int64_t size = mask[d - missing];
    if (size > 1) at += i % shape[d] * step;
    step *= size;
  }
  return at;
}

}  // namespace

// The true places take the updates, one after the other.
MadeKernel make_masked_scatter(const KernelRequest& request) {
  const auto &x = request.inputs[0], &mask = request.inputs[1], &updates = request.inputs[2];
  if (mask.type != DataType::Bool && mask.type != DataType::UInt8) return refuse("mask must be bool or uint8");
  if (updates.type != x.type) return refuse("updates must have the type of x");
  const auto both = graph::broadcast(x.shape, mask.shape);
  if (!both.ok() || *both != x.shape)
    return refuse(formatted("a mask of {} does not fit x of {}", graph::to_text(mask.shape), graph::to_text(x.shape)));
  const size_t bytes = TRY(element_bytes(x.type));
  const std::string label = label_of(request.node);
  return function_kernel(
      [label, bytes](Inputs in, Outputs out) -> Status {
        begin_with(in[0], out[0]);
        const int64_t given = in[2].count();
        int64_t next = 0;
        for (int64_t i = 0, count = in[0].count(); i < count; ++i) {
          if (in[1].as<uint8_t>()[mask_place(in[1].shape, in[0].shape, i)] == 0) continue;
          if (next == given)
            return failed(label, formatted("mask has more true places than updates has elements, {}", given));
          std::memcpy(out[0].as<std::byte>() + static_cast<size_t>(i) * bytes,
                      in[2].as<std::byte>() + static_cast<size_t>(next++) * bytes, bytes);
        }
        return {};
      },
      1);
}

namespace {

// The elements that a plan takes, in order, get those of `value`; one element stands for all.
void assign(const graph::SlicePlan& plan, const Tensor& value, Tensor& y, size_t bytes) {
  const size_t rank = y.shape.size();
  const int64_t count = graph::element_count(plan.count), given = value.count();
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i, at = 0, step = 1;
    for (size_t d = rank; d-- > 0; rest /= plan.count[d]) {
      at += (plan.begin[d] + rest % plan.count[d] * plan.step[d]) * step;
      step *= y.shape[d];
    }
    std::memcpy(y.as<std::byte>() + static_cast<size_t>(at) * bytes,
                value.as<std::byte>() + static_cast<size_t>(given == 1 ? 0 : i) * bytes, bytes);
  }
}

Result<graph::SlicePlan> plan_of(const std::string& label, const Shape& x, const graph::SliceRequest& slice,
                                 int64_t values) {
  auto plan = graph::plan_slice(x, slice);
  if (!plan.ok()) return failed(label, plan.status().message);
  const int64_t wanted = graph::element_count((*plan).count);
  if (values != wanted && values != 1)
    return failed(label, formatted("the slice has {} elements, input_value {}", wanted, values));
  return plan;
}

}  // namespace

MadeKernel make_slice_assign(const KernelRequest& request) {
  const bool numbers = request.node.type == "StridedSliceAssignD";  // as attributes
  const size_t value = numbers ? 1 : 4;
  if (request.inputs[value].type != request.inputs[0].type) return refuse("input_value must have the type of var");
  const size_t bytes = TRY(element_bytes(request.inputs[0].type));
  graph::SliceRequest slice = graph::slice_masks(request.node);
  if (numbers) {
    slice.begin = graph::ints_of(request.node, "begin"), slice.end = graph::ints_of(request.node, "end");
    slice.strides = graph::ints_of(request.node, "strides");
  }
  const std::string label = label_of(request.node);
  return function_kernel(
      [=](Inputs in, Outputs out) -> Status {
        graph::SliceRequest asked = slice;
        if (!numbers)
          asked.begin = TRY(integers(in[1])), asked.end = TRY(integers(in[2])), asked.strides = TRY(integers(in[3]));
        const auto plan = TRY(plan_of(label, in[0].shape, asked, in[value].count()));
        begin_with(in[0], out[0]);
        assign(plan, in[value], out[0], bytes);
        return {};
      },
      1);
}

MadeKernel make_tile_axis(const KernelRequest& request) {
  const Shape& x = request.inputs[0].shape;
  const auto axis = graph::axis_within(graph::int_of(request.node, "axis", 1), x.size());
  const int64_t tiles = graph::int_of(request.node, "tiles", 1);
  if (!axis) return refuse(formatted("axis is outside of {}", graph::to_text(x)));
  const size_t run = static_cast<size_t>(product(x, *axis, x.size())) * TRY(element_bytes(request.inputs[0].type));
  const int64_t outer = product(x, 0, *axis);
  return function_kernel([=](Inputs in, Outputs out) -> Status {
    for (int64_t o = 0; o < outer; ++o)
      for (int64_t t = 0; t < tiles; ++t)
        std::memcpy(out[0].as<std::byte>() + static_cast<size_t>(o * tiles + t) * run,
                    in[0].as<std::byte>() + static_cast<size_t>(o) * run, run);
    return {};
  });
}

}  // namespace belay::backend::cpu
