// SPDX-License-Identifier: Apache-2.0
// Sums, means and extremes of floats over dimensions that lie behind one another, and where extremes are.
#include <algorithm>

#include "backend/cpu/arguments.h"
#include "backend/cpu/function_kernel.h"
#include "backend/cpu/rows.h"
#include "backend/cpu/simd/middle.h"
#include "backend/cpu/simd/row_buffer.h"
#include "backend/cpu/simd/row_floats.h"
#include "base/threads/parallel.h"
#include "graph/infer/arguments.h"

namespace belay::backend::cpu {
namespace {

constexpr int64_t grain = 1 << 14;

// The axes of a reduction when they are known: a constant second input's, or the attribute's.
Result<std::vector<int64_t>> known_axes(const KernelRequest& request) {
  std::vector<int64_t> axes;
  if (request.inputs.size() > 1 && request.inputs[1].present) {
    const graph::Constant* value = request.inputs[1].value;
    if (!value) return refuse("the axes are not known before the model runs");
    axes = TRY(integers({value->type, value->shape, Layout::Plain, const_cast<std::byte*>(value->bytes.data())}));
  } else {
    for (const char* name : {"axes", "axis", "dim"})
      if (axes.empty()) axes = graph::ints_of(request.node, name);
  }
  return axes;
}

Result<Middle> split(const KernelRequest& request) {
  const Shape& x = request.inputs[0].shape;
  const auto axes = TRY(known_axes(request));
  if (axes.empty() && x == request.outputs[0].shape) return refuse("nothing is reduced");
  std::vector<bool> reduces(x.size(), axes.empty());
  for (const int64_t axis : axes) {
    const auto d = graph::axis_within(axis, x.size());
    if (!d) return refuse("an axis is outside the tensor");
    reduces[*d] = true;
  }
  // Dimensions of one element have no say.
  size_t first = x.size(), last = 0;
  for (size_t d = 0; d < x.size(); ++d)
    if (reduces[d] && x[d] != 1) first = std::min(first, d), last = d + 1;
  if (first >= last) return refuse("nothing is reduced");
  for (size_t d = first; d < last; ++d)
    if (!reduces[d] && x[d] != 1) return refuse("the reduced dimensions are not consecutive");
  return Middle{product(x, 0, first), product(x, first, last), product(x, last, x.size())};
}

void fold_rows(const Middle& m, Fold fold, double factor, DataType type, const Tensor& x, const Tensor& y) {
  parallel_for(m.outer, std::max<int64_t>(1, grain / m.length), [&](int64_t begin, int64_t end) {
    RowBuffer row(type, m.length);
    for (int64_t r = begin; r < end; ++r) {
      const double total = fold_row(fold, row.load(x, r * m.length), static_cast<size_t>(m.length));
      const auto narrow = static_cast<float>(total * factor);
      store_floats(type, &narrow, y.as<std::byte>() + r * int64_t(float_storage_bytes(type)), 1);
    }
  });
}

void fold_strips(const Middle& m, Fold fold, double factor, const float* x, float* y) {
  constexpr auto width = static_cast<int64_t>(fold_columns_most);
  const int64_t strips = (m.inner + width - 1) / width;
  parallel_for(m.outer * strips, std::max<int64_t>(1, grain / (m.length * std::min(width, m.inner))),
               [&](int64_t begin, int64_t end) {
                 double totals[fold_columns_most];
                 for (int64_t s = begin; s < end; ++s) {
                   const int64_t outer = s / strips, column = s % strips * width;
                   const int64_t columns = std::min(width, m.inner - column);
                   fold_columns(fold, x + outer * m.length * m.inner + column, static_cast<size_t>(m.length),
                                static_cast<size_t>(m.inner), static_cast<size_t>(columns), totals);
                   float* to = y + outer * m.inner + column;
                   for (int64_t c = 0; c < columns; ++c) to[c] = static_cast<float>(totals[c] * factor);
                 }
               });
}

template <Fold fold, bool mean>
MadeKernel make(const KernelRequest& request) {
  const DataType type = request.inputs[0].type;
  if (!is_float_storage(type) || request.outputs[0].type != type) return refuse("x and y must have one type of float");
  const Middle m = TRY(split(request));
  if (m.length == 0 || m.outer == 0 || m.inner == 0) return refuse("there are no elements");
  if (m.inner > 1 && type != DataType::Float) return refuse("only the last dimensions are supported here");
  const double factor = mean ? 1 / static_cast<double>(m.length) : 1;
  return function_kernel([=](Inputs in, Outputs out) -> Status {
    if (m.inner > 1)
      fold_strips(m, fold, factor, in[0].as<float>(), out[0].as<float>());
    else
      fold_rows(m, fold, factor, type, in[0], out[0]);
    return {};
  });
}

// Of the last axis.
template <bool largest>
MadeKernel make_arg(const KernelRequest& request) {
  const Shape& x = request.inputs[0].shape;
  const DataType type = request.outputs[0].type;
  if (request.inputs[0].type != DataType::Float || request.outputs.size() != 1)
    return refuse("only float is supported here");
  if (type != DataType::Int64 && type != DataType::Int32) return refuse("indices must be DT_INT32 or DT_INT64");
  int64_t axis = get_or(request.node.attributes, "dimension", int64_t{0});
  if (request.inputs.size() > 1) {
    const auto axes = TRY(known_axes(request));
    if (axes.size() != 1) return refuse("there must be one axis");
    axis = axes[0];
  }
  const auto d = graph::axis_within(axis, x.size());
  if (!d || *d + 1 != x.size() || x.back() == 0) return refuse("only the last axis is supported here");
  const int64_t length = x.back();
  return function_kernel([=](Inputs in, Outputs out) -> Status {
    parallel_for(in[0].count() / length, std::max<int64_t>(1, grain / length), [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        const size_t at = find_extreme(largest, in[0].as<float>() + r * length, static_cast<size_t>(length));
        if (type == DataType::Int64)
          out[0].as<int64_t>()[r] = static_cast<int64_t>(at);
        else
          out[0].as<int32_t>()[r] = static_cast<int32_t>(at);
      }
    });
    return {};
  });
}

constexpr KernelRow rows[] = {
    {"ArgMaxD", "simd", make_arg<true>},
    {"ArgMaxV2", "simd", make_arg<true>},
    {"ArgMin", "simd", make_arg<false>},
    {"ArgMinD", "simd", make_arg<false>},
    {"ReduceMax", "simd", make<Fold::Maximum, false>},
    {"ReduceMaxD", "simd", make<Fold::Maximum, false>},
    {"ReduceMean", "simd", make<Fold::Sum, true>},
    {"ReduceMeanD", "simd", make<Fold::Sum, true>},
    {"ReduceMin", "simd", make<Fold::Minimum, false>},
    {"ReduceMinD", "simd", make<Fold::Minimum, false>},
    {"ReduceSum", "simd", make<Fold::Sum, false>},
    {"ReduceSumD", "simd", make<Fold::Sum, false>},
    {"SquareSumV1", "simd", make<Fold::SumOfSquares, false>},
};

}  // namespace

void sum_middle(const Middle& m, const float* x, float* y) {
  if (m.inner > 1) return fold_strips(m, Fold::Sum, 1, x, y);
  parallel_for(m.outer, std::max<int64_t>(1, grain / m.length), [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r)
      y[r] = static_cast<float>(fold_row(Fold::Sum, x + r * m.length, static_cast<size_t>(m.length)));
  });
}

std::span<const KernelRow> simd_reduce_rows() { return rows; }

}  // namespace belay::backend::cpu
