// SPDX-License-Identifier: Apache-2.0
// Operators that give the elements of a tensor another order, or repeat them.
#include <algorithm>
#include <cstring>

#include "backend/cpu/arguments.h"
#include "backend/cpu/broadcast.h"
#include "backend/cpu/function_kernel.h"
#include "backend/cpu/move/assign.h"
#include "backend/cpu/move/shuffle.h"
#include "backend/cpu/move/strided_copy.h"
#include "backend/cpu/rows.h"
#include "base/text.h"
#include "base/threads/parallel.h"
#include "graph/infer/arguments.h"

namespace belay::backend::cpu {
namespace {

// The whole tensor with the given axes backwards.
Status reverse(const std::string& label, size_t bytes, const std::vector<int64_t>& axes, const Tensor& x, Tensor& y) {
  if (x.count() == 0) return {};
  const Shape plain = row_major_strides(x.shape);
  Shape strides = plain;
  int64_t first = 0;
  for (const int64_t axis : axes) {
    const auto d = graph::axis_within(axis, x.shape.size());
    if (!d) return failed(label, formatted("axis {} is outside a tensor of rank {}", axis, x.shape.size()));
    if (strides[*d] < 0) return failed(label, formatted("axis {} is given twice", axis));
    first += plain[*d] * (x.shape[*d] - 1);
    strides[*d] = -plain[*d];
  }
  copy_strided(bytes, x.shape, y.data, plain, x.as<std::byte>() + first * int64_t(bytes), strides);
  return {};
}

MadeKernel make_reverse(const KernelRequest& request) {
  const size_t bytes = TRY(element_bytes(request.inputs[0].type));
  return function_kernel([=, label = label_of(request.node)](Inputs in, Outputs out) -> Status {
    return reverse(label, bytes, TRY(integers(in[1])), in[0], out[0]);
  });
}

MadeKernel make_reverse_d(const KernelRequest& request) {
  const size_t bytes = TRY(element_bytes(request.inputs[0].type));
  return function_kernel([=, axes = graph::ints_of(request.node, "axis"), label = label_of(request.node)](
                             Inputs in, Outputs out) -> Status { return reverse(label, bytes, axes, in[0], out[0]); });
}

// Of each batch the first seq_lengths[batch] steps backwards, the rest as they are.
MadeKernel make_reverse_sequence(const KernelRequest& request) {
  const size_t bytes = TRY(element_bytes(request.inputs[0].type));
  const Shape& shape = request.inputs[0].shape;
  const auto sequence = graph::axis_within(graph::int_of(request.node, "seq_dim", 0), shape.size());
  const auto batch = graph::axis_within(graph::int_of(request.node, "batch_dim", 0), shape.size());
  if (!sequence || !batch || *sequence == *batch) return refuse("seq_dim and batch_dim must be two of the dimensions");
  return function_kernel(
      [=, s = *sequence, b = *batch, label = label_of(request.node)](Inputs in, Outputs out) -> Status {
        const auto lengths = TRY(integers(in[1]));
        const Shape& x = in[0].shape;
        if (int64_t(lengths.size()) != x[b]) return failed(label, "seq_lengths needs one length for each batch");
        for (size_t i = 0; i < lengths.size(); ++i)
          if (lengths[i] < 0 || lengths[i] > x[s]) return bad_index(label, lengths[i], int64_t(i), x[s] + 1, false);
        if (in[0].count() == 0) return {};
        const Shape strides = row_major_strides(x);
        Shape one = x;
        one[b] = 1;
        for (size_t i = 0; i < lengths.size(); ++i) {
          Shape turned = one, kept = one;
          turned[s] = lengths[i];
          kept[s] = x[s] - lengths[i];
          Shape back = strides;
          back[s] = -back[s];
          const auto step = int64_t(bytes), base = int64_t(i) * strides[b];
          const auto* from = in[0].as<std::byte>();
          auto* to = out[0].as<std::byte>();
          copy_strided(bytes, turned, to + base * step, strides, from + (base + strides[s] * (lengths[i] - 1)) * step,
                       back);
          const int64_t rest = base + strides[s] * lengths[i];
          copy_strided(bytes, kept, to + rest * step, strides, from + rest * step, strides);
        }
        return {};
      });
}

// Moves elements along the dims by the shifts, those that leave at one end entering at the other. Without dims the
// tensor is taken as one long row.
MadeKernel make_roll(const KernelRequest& request) {
  const size_t bytes = TRY(element_bytes(request.inputs[0].type));
  const auto shifts = graph::ints_of(request.node, "shifts");
  const auto dims = graph::ints_of(request.node, "dims");
  const Shape shape = dims.empty() ? Shape{graph::element_count(request.inputs[0].shape)} : request.inputs[0].shape;
  if (shifts.size() != (dims.empty() ? 1 : dims.size())) return refuse("shifts and dims differ in length");
  Shape by(shape.size());
  for (size_t i = 0; i < shifts.size(); ++i) {
    const auto d = graph::axis_within(dims.empty() ? 0 : dims[i], shape.size());
    if (!d) return refuse("dims is outside the tensor");
    by[*d] += shifts[i];
  }
  const Shape strides = row_major_strides(shape);
  std::vector<std::vector<int64_t>> tables(shape.size());
  for (size_t d = 0; d < shape.size(); ++d)
    for (int64_t i = 0; i < shape[d]; ++i)
      tables[d].push_back(strides[d] * (((i - by[d]) % shape[d] + shape[d]) % shape[d]));
  return function_kernel([=](Inputs in, Outputs out) -> Status {
    copy_indexed(bytes, tables, out[0].data, in[0].data);
    return {};
  });
}

Status tile(const std::string& label, size_t bytes, const Tensor& x, Tensor& y) {
  // Each dimension in two: how often, and the tensor's own.
  Shape shape, from, own = x.shape;
  if (own.size() > y.shape.size()) return failed(label, "the result has fewer dimensions than the tensor");
  own.insert(own.begin(), y.shape.size() - own.size(), 1);
  const Shape strides = row_major_strides(own);
  if (y.count() == 0) return {};
  for (size_t d = 0; d < own.size(); ++d) {
    if (own[d] == 0 || y.shape[d] % own[d]) return failed(label, "the result is not a multiple of the tensor");
    shape.insert(shape.end(), {y.shape[d] / own[d], own[d]});
    from.insert(from.end(), {0, strides[d]});
  }
  copy_strided(bytes, shape, y.data, row_major_strides(shape), x.data, from);
  return {};
}

MadeKernel make_tile(const KernelRequest& request) {
  const size_t bytes = TRY(element_bytes(request.inputs[0].type));
  return function_kernel([=, label = label_of(request.node)](Inputs in, Outputs out) -> Status {
    return tile(label, bytes, in[0], out[0]);
  });
}

// A view of x with the dimensions `sizes`, written in the order `order`.
MadeKernel permuted_view(const KernelRequest& request, const Shape& sizes, const std::vector<size_t>& order) {
  const size_t bytes = TRY(element_bytes(request.inputs[0].type));
  const Shape strides = row_major_strides(sizes);
  Shape shape, from;
  for (const size_t d : order) {
    shape.push_back(sizes[d]);
    from.push_back(strides[d]);
  }
  return function_kernel([=](Inputs in, Outputs out) -> Status {
    copy_strided(bytes, shape, out[0].data, row_major_strides(shape), in[0].data, from);
    return {};
  });
}

MadeKernel make_depth_to_space(const KernelRequest& request) {
  const Shape& x = request.inputs[0].shape;
  const int64_t block = graph::int_of(request.node, "block_size", 0);
  const std::string mode = graph::text_of(request.node, "mode", "DCR");
  if (mode != "DCR" && mode != "CRD") return refuse(formatted("mode {} is not DCR or CRD", mode));
  if (x.size() != 4 || block < 1) return refuse("x must have 4 dimensions and block_size be positive");
  const int64_t area = block * block;
  if (graph::text_of(request.node, "data_format", "NHWC") == "NCHW") {
    if (mode == "DCR") return permuted_view(request, {x[0], block, block, x[1] / area, x[2], x[3]}, {0, 3, 4, 1, 5, 2});
    return permuted_view(request, {x[0], x[1] / area, block, block, x[2], x[3]}, {0, 1, 4, 2, 5, 3});
  }
  if (mode == "DCR") return permuted_view(request, {x[0], x[1], x[2], block, block, x[3] / area}, {0, 1, 3, 2, 4, 5});
  return permuted_view(request, {x[0], x[1], x[2], x[3] / area, block, block}, {0, 1, 4, 2, 5, 3});
}

MadeKernel make_space_to_depth(const KernelRequest& request) {
  const Shape& x = request.inputs[0].shape;
  const int64_t block = graph::int_of(request.node, "block_size", 0);
  if (x.size() != 4 || block < 1) return refuse("x must have 4 dimensions and block_size be positive");
  if (graph::text_of(request.node, "data_format", "NHWC") == "NCHW")
    return permuted_view(request, {x[0], x[1], x[2] / block, block, x[3] / block, block}, {0, 3, 5, 1, 2, 4});
  return permuted_view(request, {x[0], x[1] / block, block, x[2] / block, block, x[3]}, {0, 1, 3, 2, 4, 5});
}

// Keeps the triangle on one side of diagonal k; the rest is zero.
Status keep_triangle(size_t bytes, bool upper, int64_t k, const Tensor& x, Tensor& y) {
  const size_t rank = x.shape.size();
  const int64_t height = x.shape[rank - 2], width = x.shape[rank - 1];
  const size_t row_bytes = size_t(width) * bytes;
  parallel_for(product(x.shape, 0, rank - 1), std::max<int64_t>(1, 16384 / std::max<int64_t>(1, width)),
               [&](int64_t begin, int64_t end) {
                 for (int64_t r = begin; r < end; ++r) {
                   const int64_t edge = std::clamp<int64_t>(r % height + k + (upper ? 0 : 1), 0, width);
                   const size_t head = size_t(edge) * bytes, tail = row_bytes - head;
                   auto* to = y.as<std::byte>() + size_t(r) * row_bytes;
                   const auto* from = x.as<std::byte>() + size_t(r) * row_bytes;
                   if (to != from) std::memcpy(upper ? to + head : to, upper ? from + head : from, upper ? tail : head);
                   std::memset(upper ? to : to + head, 0, upper ? head : tail);
                 }
               });
  return {};
}

MadeKernel make_triangle(const KernelRequest& request) {
  const auto& node = request.node;
  const size_t bytes = TRY(element_bytes(request.inputs[0].type));
  if (request.inputs[0].shape.size() < 2) return refuse("x must have two dimensions or more");
  const bool upper = node.type == "Triu" || (node.type == "Trilu" && graph::int_of(node, "upper", 0) != 0);
  const int64_t fixed = graph::int_of(node, "diagonal", 0);
  const auto run = [=](Inputs in, Outputs out) -> Status {
    int64_t k = fixed;
    if (in.size() > 1 && in[1].present) k = TRY(integer(in[1]));
    if (in[0].count() == 0) return {};
    const int64_t most = in[0].shape[in[0].shape.size() - 2] + in[0].shape.back() + 1;
    return keep_triangle(bytes, upper, std::clamp(k, -most, most), in[0], out[0]);
  };
  return function_kernel(run, 1);
}

constexpr KernelRow rows[] = {
    {"ReverseV2", "reference", make_reverse},
    {"ReverseV2D", "reference", make_reverse_d},
    {"ReverseSequence", "reference", make_reverse_sequence},
    {"Roll", "reference", make_roll},
    {"ShuffleChannel", "reference", make_channel_shuffle},
    {"MaskedScatter", "reference", make_masked_scatter},
    {"StridedSliceAssign", "reference", make_slice_assign},
    {"StridedSliceAssignD", "reference", make_slice_assign},
    {"Tile", "reference", make_tile},
    {"TileWithAxis", "reference", make_tile_axis},
    {"TileD", "reference", make_tile},
    {"DepthToSpace", "reference", make_depth_to_space},
    {"SpaceToDepth", "reference", make_space_to_depth},
    {"Trilu", "reference", make_triangle},
    {"Triu", "reference", make_triangle},
    {"Tril", "reference", make_triangle},
};

}  // namespace

std::span<const KernelRow> rearrange_rows() { return rows; }

}  // namespace belay::backend::cpu
