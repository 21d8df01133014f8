// SPDX-License-Identifier: Apache-2.0
// Operators that put elements where indices say, or combine them with what is there.
#include <cstring>

#include "backend/cpu/arguments.h"
#include "backend/cpu/broadcast.h"
#include "backend/cpu/function_kernel.h"
#include "backend/cpu/move/put_rows.h"
#include "backend/cpu/rows.h"
#include "base/text.h"
#include "graph/infer/arguments.h"

namespace belay::backend::cpu {
namespace {

Result<Put> put_named(std::string_view name) {
  if (name == "none" || name == "update") return Put::Replace;
  if (name == "add") return Put::Add;
  if (name == "mul") return Put::Mul;
  if (name == "max") return Put::Max;
  if (name == "min") return Put::Min;
  return refuse(formatted("reduction {} is not one of none, add, mul, max, min", name));
}

// Of operators whose third input goes into the first.
Status check_updates(const KernelRequest& request) {
  if (request.inputs.size() < 3) return refuse("there are no updates");
  if (request.inputs[0].type == request.inputs[2].type) return {};
  return refuse(formatted("updates of type {} cannot go into {}", graph::name_of(request.inputs[2].type),
                          graph::name_of(request.inputs[0].type)));
}

MadeKernel make_scatter_elements(const KernelRequest& request) {
  const Put how = TRY(put_named(graph::text_of(request.node, "reduction", "none")));
  const Shape &x = request.inputs[0].shape, &index = request.inputs[1].shape;
  const auto axis = graph::axis_within(graph::int_of(request.node, "axis", 0), x.size());
  if (!axis) return refuse("axis is outside the tensor");
  TRY(check_updates(request));
  if (index.size() != x.size()) return refuse("indices and data differ in their number of dimensions");
  if (index != request.inputs[2].shape) return refuse("indices and updates differ in shape");
  for (size_t d = 0; d < x.size(); ++d)
    if (d != *axis && index[d] > x[d]) return refuse("indices is larger than data");
  TRY(element_bytes(request.inputs[0].type));
  const auto run = [=, axis = *axis, label = label_of(request.node)](Inputs in, Outputs out) -> Status {
    auto targets = TRY(indices_within(label, in[1], in[0].shape[axis], true));
    const Shape &dims = in[1].shape, strides = row_major_strides(in[0].shape);
    for (size_t i = 0; i < targets.size(); ++i) {
      int64_t rest = int64_t(i), at = targets[i] * strides[axis];
      for (size_t d = dims.size(); d-- > 0; rest /= dims[d])
        if (d != axis) at += rest % dims[d] * strides[d];
      targets[i] = at;
    }
    begin_with(in[0], out[0]);
    return put_rows(how, in[0].type, targets, 1, in[2], out[0]);
  };
  return function_kernel(run, 1);
}

// Rows of `shape` that indices, whose last dimension is one coordinate each, name.
Result<std::vector<int64_t>> row_targets(const std::string& label, const Shape& shape, const Tensor& indices) {
  const size_t depth = size_t(indices.shape.back());
  if (depth > shape.size()) return failed(label, "an index has more coordinates than the tensor dimensions");
  const auto all = TRY(integers(indices));
  std::vector<int64_t> targets(static_cast<size_t>(product(indices.shape, 0, indices.shape.size() - 1)));
  for (size_t i = 0; i < targets.size(); ++i) {
    int64_t at = 0;
    for (size_t d = 0; d < depth; ++d) {
      const int64_t index = all[i * depth + d], size = shape[d];
      if (index < -size || index >= size) return bad_index(label, index, int64_t(i * depth + d), size, true);
      at = at * size + (index < 0 ? index + size : index);
    }
    targets[i] = at;
  }
  return targets;
}

Status scatter_nd(const std::string& label, Put how, const Tensor& indices, const Tensor& updates, Tensor& y,
                  float factor = 1) {
  const auto targets = TRY(row_targets(label, y.shape, indices));
  const int64_t inner = product(y.shape, size_t(indices.shape.back()), y.shape.size());
  if (updates.count() != int64_t(targets.size()) * inner)
    return failed(label, formatted("{} updates for {} places", updates.count(), int64_t(targets.size()) * inner));
  return put_rows(how, y.type, targets, inner, updates, y, factor);
}

template <Put how>
MadeKernel make_scatter_nd(const KernelRequest& request) {
  if (request.inputs[1].shape.empty()) return refuse("indices must have a dimension");
  TRY(element_bytes(request.inputs[0].type));
  TRY(check_updates(request));
  const float factor = graph::get_or(request.node.attributes, "alpha", 1.0f);  // ours: of aclnnIndexAdd
  const auto run = [factor, label = label_of(request.node)](Inputs in, Outputs out) -> Status {
    begin_with(in[0], out[0]);
    return scatter_nd(label, how, in[1], in[2], out[0], factor);
  };
  return function_kernel(run, 1);
}

// indices, x, shape: x added into zeros.
MadeKernel make_scatter_nd_fresh(const KernelRequest& request) {
  if (request.inputs[0].shape.empty()) return refuse("indices must have a dimension");
  TRY(element_bytes(request.inputs[1].type));
  return function_kernel([label = label_of(request.node)](Inputs in, Outputs out) -> Status {
    if (out[0].count()) std::memset(out[0].data, 0, graph::bytes_of(out[0].type, out[0].count()));
    return scatter_nd(label, Put::Add, in[0], in[1], out[0]);
  });
}

// Each index names a row of the first dimension.
template <Put how>
MadeKernel make_scatter_first(const KernelRequest& request) {
  if (request.inputs[0].shape.empty()) return refuse("var must have a dimension");
  TRY(check_updates(request));
  TRY(element_bytes(request.inputs[0].type));
  const auto run = [label = label_of(request.node)](Inputs in, Outputs out) -> Status {
    const auto targets = TRY(indices_within(label, in[1], in[0].shape[0], true));
    const int64_t inner = product(in[0].shape, 1, in[0].shape.size());
    if (in[2].count() != int64_t(targets.size()) * inner)
      return failed(label, formatted("{} updates for {} places", in[2].count(), int64_t(targets.size()) * inner));
    begin_with(in[0], out[0]);
    return put_rows(how, in[0].type, targets, inner, in[2], out[0]);
  };
  return function_kernel(run, 1);
}

constexpr KernelRow rows[] = {
    {"ScatterElements", "reference", make_scatter_elements},
    {"TensorScatterUpdate", "reference", make_scatter_nd<Put::Replace>},
    {"TensorScatterAdd", "reference", make_scatter_nd<Put::Add>},
    {"TensorScatterSub", "reference", make_scatter_nd<Put::Sub>},
    {"TensorScatterMul", "reference", make_scatter_nd<Put::Mul>},
    {"TensorScatterMax", "reference", make_scatter_nd<Put::Max>},
    {"TensorScatterMin", "reference", make_scatter_nd<Put::Min>},
    {"ScatterNdUpdate", "reference", make_scatter_nd<Put::Replace>},
    {"ScatterNdAdd", "reference", make_scatter_nd<Put::Add>},
    {"ScatterNdSub", "reference", make_scatter_nd<Put::Sub>},
    {"ScatterNdMul", "reference", make_scatter_nd<Put::Mul>},
    {"ScatterNdMax", "reference", make_scatter_nd<Put::Max>},
    {"ScatterNdMin", "reference", make_scatter_nd<Put::Min>},
    {"ScatterUpdate", "reference", make_scatter_first<Put::Replace>},
    {"ScatterAdd", "reference", make_scatter_first<Put::Add>},
    {"ScatterSub", "reference", make_scatter_first<Put::Sub>},
    {"ScatterMul", "reference", make_scatter_first<Put::Mul>},
    {"ScatterMax", "reference", make_scatter_first<Put::Max>},
    {"ScatterMin", "reference", make_scatter_first<Put::Min>},
    {"ScatterNd", "reference", make_scatter_nd_fresh},
};

}  // namespace

std::span<const KernelRow> scatter_rows() { return rows; }

}  // namespace belay::backend::cpu
