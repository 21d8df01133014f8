// SPDX-License-Identifier: Apache-2.0
// Operators that join tensors along a dimension, or take them apart.
#include <algorithm>
#include <cstring>
#include <optional>

#include "backend/cpu/arguments.h"
#include "backend/cpu/function_kernel.h"
#include "backend/cpu/rows.h"
#include "backend/cpu/simd/layout_plan.h"
#include "base/threads/parallel.h"
#include "graph/infer/arguments.h"

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
                 std::byte* at = whole + size_t(begin) * row;
                 for (int64_t r = begin; r < end; ++r)
                   for (const Part& part : parts) {
                     copy(at, part.data + size_t(r) * part.row, part.row);
                     at += part.row;
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

// The layout that most elements of the inputs [first, first + count) have.
Layout common_layout(const KernelRequest& request, size_t first, size_t count) {
  int64_t elements[2] = {};
  for (size_t i = first; i < first + count; ++i)
    elements[size_t(request.input_layouts[i])] += graph::element_count(request.inputs[i].shape);
  return Layout(std::max_element(elements, elements + 2) - elements);
}

std::optional<int64_t> constant_axis(const graph::TensorInfo& axis) {
  const auto known = axis.value ? graph::integers(*axis.value) : std::nullopt;
  return known && known->size() == 1 ? std::optional(known->front()) : std::nullopt;
}

Tensor in_memory(Tensor tensor, Layout layout) {
  tensor.shape = memory_shape(tensor.shape, layout);
  return tensor;
}

// Where a dimension is in memory.
size_t memory_axis(size_t axis, size_t rank, Layout layout) {
  if (layout != Layout::ChannelsLast || axis == 0) return axis;
  return axis == 1 ? rank - 1 : axis - 1;
}

// Joins inputs [first, first + count) in the layout that they have.
class Concat : public Kernel {
 public:
  Concat(Layout layout, size_t first, size_t count, size_t axis, size_t bytes)
      : layout_(layout), first_(first), count_(count), axis_(axis), bytes_(bytes) {}

  Status run(std::span<const Tensor> inputs, std::span<Tensor> outputs) override {
    std::vector<Tensor> parts;
    for (const Tensor& part : inputs.subspan(first_, count_)) parts.push_back(in_memory(part, layout_));
    join(parts, in_memory(outputs[0], layout_), memory_axis(axis_, outputs[0].shape.size(), layout_), bytes_);
    return {};
  }
  Layout wants(size_t i) const override { return i >= first_ && i < first_ + count_ ? layout_ : Layout::Plain; }
  Layout gives(size_t) const override { return layout_; }

 private:
  const Layout layout_;
  const size_t first_, count_, axis_, bytes_;
};

MadeKernel make_concat_of(const KernelRequest& request, int64_t dimension, size_t first, size_t count) {
  const size_t bytes = TRY(element_bytes(request.outputs[0].type));
  const size_t axis = TRY(axis_of(request.node, dimension, request.outputs[0].shape));
  const Layout layout = common_layout(request, first, count);
  return std::unique_ptr<Kernel>(std::make_unique<Concat>(layout, first, count, axis, bytes));
}

MadeKernel make_concat_d(const KernelRequest& request) {
  return make_concat_of(request, graph::int_of(request.node, "concat_dim", 0), 0, request.inputs.size());
}

MadeKernel make_concat(const KernelRequest& request) {
  const bool axis_first = request.node.type == "Concat";
  const size_t first = axis_first ? 1 : 0, count = request.inputs.size() - 1;
  const graph::TensorInfo& given = axis_first ? request.inputs.front() : request.inputs.back();
  if (const auto known = constant_axis(given)) return make_concat_of(request, *known, first, count);
  const size_t bytes = TRY(element_bytes(request.outputs[0].type));
  return function_kernel([=, label = label_of(request.node)](Inputs in, Outputs out) -> Status {
    const auto axis = graph::axis_within(TRY(integer(axis_first ? in.front() : in.back())), out[0].shape.size());
    if (!axis) return failed(label, "concat_dim is outside the tensor");
    join(in.subspan(first, count), out[0], *axis, bytes);
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

// Takes input x apart in the layout that it has.
class Split : public Kernel {
 public:
  Split(const graph::Node& node, Layout layout, size_t x, size_t axis, size_t bytes)
      : label_(label_of(node)), layout_(layout), x_(x), axis_(axis), bytes_(bytes) {}

  Status run(std::span<const Tensor> inputs, std::span<Tensor> outputs) override {
    std::vector<Tensor> parts;
    for (const Tensor& part : outputs) parts.push_back(in_memory(part, layout_));
    return separate(label_, in_memory(inputs[x_], layout_), parts, memory_axis(axis_, inputs[x_].shape.size(), layout_),
                    bytes_);
  }
  Layout wants(size_t i) const override { return i == x_ ? layout_ : Layout::Plain; }
  Layout gives(size_t) const override { return layout_; }

 private:
  const std::string label_;
  const Layout layout_;
  const size_t x_, axis_, bytes_;
};

MadeKernel make_split_of(const KernelRequest& request, size_t x, int64_t dimension) {
  const size_t bytes = TRY(element_bytes(request.inputs[x].type));
  const size_t axis = TRY(axis_of(request.node, dimension, request.inputs[x].shape));
  return std::unique_ptr<Kernel>(std::make_unique<Split>(request.node, request.input_layouts[x], x, axis, bytes));
}

MadeKernel make_split_d(const KernelRequest& request) {
  return make_split_of(request, 0, graph::int_of(request.node, "split_dim", 0));
}

// Split: split_dim, x. SplitV: x, size_splits, split_dim. The sizes are those of the outputs.
template <size_t x, size_t split_dim>
MadeKernel make_split(const KernelRequest& request) {
  if (const auto known = constant_axis(request.inputs[split_dim])) return make_split_of(request, x, *known);
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
