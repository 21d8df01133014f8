// SPDX-License-Identifier: Apache-2.0
// Operators that pick elements by index.
#include <cstring>

#include "backend/cpu/arguments.h"
#include "backend/cpu/broadcast.h"
#include "backend/cpu/function_kernel.h"
#include "backend/cpu/move/copy_picked.h"
#include "backend/cpu/rows.h"
#include "base/text.h"
#include "graph/infer/arguments.h"

namespace belay::backend::cpu {
namespace {

struct Gather {
  std::string label;
  bool wrap;
  size_t batch_dims, bytes;

  Status run(size_t axis, const Tensor& x, const Tensor& indices, Tensor& y) const {
    const auto picks = TRY(indices_within(label, indices, x.shape[axis], wrap));
    const int64_t batches = product(x.shape, 0, batch_dims), outer = product(x.shape, batch_dims, axis);
    const int64_t size = x.shape[axis], per_batch = batches ? int64_t(picks.size()) / batches : 0;
    const size_t row = bytes * size_t(product(x.shape, axis + 1, x.shape.size()));
    if (row == 0) return {};
    copy_picked(row, batches * outer * per_batch, y.as<std::byte>(), x.as<std::byte>(), [&](int64_t r) {
      const int64_t pick = r % per_batch, above = r / per_batch;
      return above * size + picks[size_t(above / outer * per_batch + pick)];
    });
    return {};
  }
};

Result<Gather> gather_of(const KernelRequest& request) {
  const auto& node = request.node;
  const auto batch = graph::axis_within(graph::int_of(node, "batch_dims", 0), request.inputs[1].shape.size() + 1);
  if (!batch) return refuse("batch_dims is outside the rank of the indices");
  const size_t bytes = TRY(element_bytes(request.inputs[0].type));
  return Gather{label_of(node), graph::flag_of(node, "negative_index_support", false), *batch, bytes};
}

MadeKernel make_gather_v2(const KernelRequest& request) {
  return function_kernel([gather = TRY(gather_of(request))](Inputs in, Outputs out) -> Status {
    const auto axis = graph::axis_within(TRY(integer(in[2])), in[0].shape.size());
    if (!axis || *axis < gather.batch_dims) return failed(gather.label, "the axis is outside the tensor");
    return gather.run(*axis, in[0], in[1], out[0]);
  });
}

MadeKernel make_gather(const KernelRequest& request) {
  const auto gather = TRY(gather_of(request));
  const bool by_attribute = request.node.type == "GatherV2D";
  const int64_t wanted = by_attribute ? graph::int_of(request.node, "axis", 0) : int64_t(gather.batch_dims);
  const auto axis = graph::axis_within(wanted, request.inputs[0].shape.size());
  if (!axis || *axis < gather.batch_dims) return refuse("the axis is outside the tensor");
  return function_kernel(
      [gather, axis = *axis](Inputs in, Outputs out) -> Status { return gather.run(axis, in[0], in[1], out[0]); });
}

MadeKernel make_gather_elements(const KernelRequest& request) {
  const auto axis = graph::axis_within(graph::int_of(request.node, "dim", 0), request.inputs[0].shape.size());
  if (!axis) return refuse("dim is outside the tensor");
  const Shape &x = request.inputs[0].shape, &index = request.inputs[1].shape;
  if (x.size() != index.size()) return refuse("x and index differ in rank");
  for (size_t d = 0; d < x.size(); ++d)
    if (d != *axis && index[d] > x[d]) return refuse("index is larger than x");
  const size_t bytes = TRY(element_bytes(request.inputs[0].type));
  return function_kernel([=, axis = *axis, label = label_of(request.node)](Inputs in, Outputs out) -> Status {
    const auto picks = TRY(indices_within(label, in[1], in[0].shape[axis], true));
    const Shape dims = in[1].shape, strides = row_major_strides(in[0].shape);
    copy_picked(bytes, int64_t(picks.size()), out[0].as<std::byte>(), in[0].as<std::byte>(), [&](int64_t r) {
      int64_t at = picks[size_t(r)] * strides[axis];
      for (size_t d = dims.size(); d-- > 0; r /= dims[d])
        if (d != axis) at += r % dims[d] * strides[d];
      return at;
    });
    return {};
  });
}

MadeKernel make_gather_nd(const KernelRequest& request) {
  const size_t bytes = TRY(element_bytes(request.inputs[0].type));
  const int64_t batch_dims = graph::int_of(request.node, "batch_dims", 0);
  const bool wrap = graph::flag_of(request.node, "negative_index_support", false);
  return function_kernel([=, label = label_of(request.node)](Inputs in, Outputs out) -> Status {
    const Shape &x = in[0].shape, &shape = in[1].shape;
    const auto indices = TRY(integers(in[1]));
    const size_t depth = size_t(shape.back()), batch = size_t(batch_dims);
    const int64_t rows = product(shape, 0, shape.size() - 1), batches = product(shape, 0, batch);
    const int64_t below = product(x, batch, batch + depth);
    const size_t row = bytes * size_t(product(x, batch + depth, x.size()));
    std::vector<int64_t> sources(static_cast<size_t>(rows));
    for (int64_t r = 0; r < rows; ++r) {
      int64_t at = 0;
      for (size_t d = 0; d < depth; ++d) {
        const size_t position = size_t(r) * depth + d;
        const int64_t size = x[batch + d], index = indices[position];
        if (index < (wrap ? -size : 0) || index >= size) return bad_index(label, index, int64_t(position), size, wrap);
        at = at * size + (index < 0 ? index + size : index);
      }
      sources[size_t(r)] = r / (rows / batches) * below + at;
    }
    if (row)
      copy_picked(row, rows, out[0].as<std::byte>(), in[0].as<std::byte>(),
                  [&](int64_t r) { return sources[size_t(r)]; });
    return {};
  });
}

// x holds indices into the depth; those outside get the off value everywhere.
MadeKernel make_one_hot(const KernelRequest& request) {
  const bool with_depth = request.node.type == "OneHot";
  const size_t on = with_depth ? 2 : 1;
  const auto axis = graph::axis_within(graph::int_of(request.node, "axis", -1), request.outputs[0].shape.size());
  if (!axis) return refuse("axis is outside the result");
  const size_t bytes = TRY(element_bytes(request.outputs[0].type));
  return function_kernel([=, axis = *axis](Inputs in, Outputs out) -> Status {
    const auto indices = TRY(integers(in[0]));
    const Shape& shape = out[0].shape;
    const int64_t depth = shape[axis], inner = product(shape, axis + 1, shape.size());
    fill_elements(bytes, out[0].data, out[0].count(), in[on + 1].data);
    for (int64_t i = 0; i < int64_t(indices.size()); ++i) {
      const int64_t hot = indices[size_t(i)];
      if (hot < 0 || hot >= depth) continue;
      const int64_t at = (i / inner * depth + hot) * inner + i % inner;
      std::memcpy(out[0].as<std::byte>() + size_t(at) * bytes, in[on].data, bytes);
    }
    return {};
  });
}

constexpr KernelRow rows[] = {
    {"GatherV2", "reference", make_gather_v2}, {"GatherV2D", "reference", make_gather},
    {"Gather", "reference", make_gather},      {"GatherElements", "reference", make_gather_elements},
    {"GatherNd", "reference", make_gather_nd}, {"OneHot", "reference", make_one_hot},
    {"OneHotD", "reference", make_one_hot},
};

}  // namespace

std::span<const KernelRow> gather_rows() { return rows; }

}  // namespace belay::backend::cpu
