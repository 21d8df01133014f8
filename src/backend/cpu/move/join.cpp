// SPDX-License-Identifier: Apache-2.0
// Operators that join tensors along a dimension, or take them apart.
#include <cstring>

#include "backend/cpu/arguments.h"
#include "backend/cpu/function_kernel.h"
#include "backend/cpu/rows.h"
#include "base/parallel.h"
#include "graph/infer_arguments.h"

namespace belay::backend::cpu {
namespace {

constexpr int64_t grain_bytes = 1 << 16;

// A tensor as rows: `outer` of them, one for each index of the dimensions before the axis.
struct Part {
  std::byte* data;
  size_t row;  // bytes
};

// Copies between a whole tensor and its parts, whose rows lie side by side in the whole one's rows.
template <bool join>
void copy_parts(const std::vector<Part>& parts, std::byte* whole, int64_t outer) {
  size_t row = 0;
  for (const Part& part : parts) row += part.row;
  const auto copy = [](std::byte* whole_at, std::byte* part_at, size_t bytes) {
    if (bytes) std::memcpy(join ? whole_at : part_at, join ? part_at : whole_at, bytes);
  };
  parallel_for(outer, std::max<int64_t>(1, grain_bytes / int64_t(std::max<size_t>(1, row))),
               [&](int64_t begin, int64_t end) {
                 size_t column = 0;
                 for (const Part& part : parts) {
                   for (int64_t r = begin; r < end; ++r)
                     copy(whole + size_t(r) * row + column, part.data + size_t(r) * part.row, part.row);
                   column += part.row;
                 }
               });
}

std::vector<Part> parts_of(std::span<const Tensor> tensors, size_t axis, size_t bytes) {
  std::vector<Part> parts;
  for (const Tensor& tensor : tensors)
    parts.push_back({tensor.as<std::byte>(), bytes * size_t(product(tensor.shape, axis, tensor.shape.size()))});
  return parts;
}

void join(std::span<const Tensor> inputs, const Tensor& y, size_t axis, size_t bytes) {
  if (y.count()) copy_parts<true>(parts_of(inputs, axis, bytes), y.as<std::byte>(), product(y.shape, 0, axis));
}

Status separate(const std::string& label, const Tensor& x, std::span<const Tensor> outputs, size_t axis, size_t bytes) {
  int64_t elements = 0;
  for (const Tensor& part : outputs) elements += part.count();
  if (elements != x.count()) return failed(label, "the parts do not add up to the tensor");
  if (elements) copy_parts<false>(parts_of(outputs, axis, bytes), x.as<std::byte>(), product(x.shape, 0, axis));
  return {};
}

Result<size_t> axis_of(const graph::Node& node, int64_t axis, const Shape& shape) {
  const auto found = graph::axis_within(axis, shape.size());
  if (!found) return failed(label_of(node), "axis " + std::to_string(axis) + " is outside the tensor");
  return *found;
}

MadeKernel make_concat_d(const KernelRequest& request) {
  const size_t bytes = TRY(element_bytes(request.outputs[0].type));
  const size_t axis =
      TRY(axis_of(request.node, graph::int_of(request.node, "concat_dim", 0), request.outputs[0].shape));
  return function_kernel([=](Inputs in, Outputs out) -> Status {
    join(in, out[0], axis, bytes);
    return {};
  });
}

MadeKernel make_concat(const KernelRequest& request) {
  const size_t bytes = TRY(element_bytes(request.outputs[0].type));
  const bool axis_first = request.node.type == "Concat";
  return function_kernel([=, label = label_of(request.node)](Inputs in, Outputs out) -> Status {
    const auto axis = graph::axis_within(TRY(integer(axis_first ? in.front() : in.back())), out[0].shape.size());
    if (!axis) return failed(label, "concat_dim is outside the tensor");
    join(in.subspan(axis_first ? 1 : 0, in.size() - 1), out[0], *axis, bytes);
    return {};
  });
}

// The parts lie along a dimension of their own, of which each has one index.
MadeKernel make_pack(const KernelRequest& request) {
  const size_t bytes = TRY(element_bytes(request.outputs[0].type));
  const size_t axis = TRY(axis_of(request.node, graph::int_of(request.node, "axis", 0), request.outputs[0].shape));
  return function_kernel([=](Inputs in, Outputs out) -> Status {
    join(in, out[0], axis, bytes);
    return {};
  });
}

MadeKernel make_unpack(const KernelRequest& request) {
  const size_t bytes = TRY(element_bytes(request.inputs[0].type));
  const size_t axis = TRY(axis_of(request.node, graph::int_of(request.node, "axis", 0), request.inputs[0].shape));
  return function_kernel([=, label = label_of(request.node)](Inputs in, Outputs out) -> Status {
    return separate(label, in[0], out, axis, bytes);
  });
}

MadeKernel make_split_d(const KernelRequest& request) {
  const size_t bytes = TRY(element_bytes(request.inputs[0].type));
  const size_t axis = TRY(axis_of(request.node, graph::int_of(request.node, "split_dim", 0), request.inputs[0].shape));
  return function_kernel([=, label = label_of(request.node)](Inputs in, Outputs out) -> Status {
    return separate(label, in[0], out, axis, bytes);
  });
}

// Split: split_dim, x. SplitV: x, size_splits, split_dim. The sizes are those of the outputs.
template <size_t x, size_t split_dim>
MadeKernel make_split(const KernelRequest& request) {
  const size_t bytes = TRY(element_bytes(request.inputs[x].type));
  return function_kernel([=, label = label_of(request.node)](Inputs in, Outputs out) -> Status {
    const auto axis = graph::axis_within(TRY(integer(in[split_dim])), in[x].shape.size());
    if (!axis) return failed(label, "split_dim is outside the tensor");
    return separate(label, in[x], out, *axis, bytes);
  });
}

constexpr KernelRow rows[] = {
    {"ConcatD", "reference", make_concat_d},  {"ConcatV2D", "reference", make_concat_d},
    {"Concat", "reference", make_concat},     {"ConcatV2", "reference", make_concat},
    {"Pack", "reference", make_pack},         {"Unpack", "reference", make_unpack},
    {"SplitD", "reference", make_split_d},    {"SplitVD", "reference", make_split_d},
    {"Split", "reference", make_split<1, 0>}, {"SplitV", "reference", make_split<0, 2>},
};

}  // namespace

std::span<const KernelRow> join_rows() { return rows; }

}  // namespace belay::backend::cpu
