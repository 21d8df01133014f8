// SPDX-License-Identifier: Apache-2.0
// SoftmaxV2 and LogSoftmaxV2 over dimensions that lie behind one another.
#include <algorithm>

#include "backend/cpu/arguments.h"
#include "backend/cpu/function_kernel.h"
#include "backend/cpu/rows.h"
#include "backend/cpu/simd/row_buffer.h"
#include "backend/cpu/simd/row_floats.h"
#include "base/threads/parallel.h"

namespace belay::backend::cpu {
namespace {

constexpr int64_t grain = 1 << 13;  // elements that are worth a thread

// The tensor as outer × length × inner, the axes in the middle.
struct Middle {
  int64_t outer, length, inner;
};

Result<Middle> split(const KernelRequest& request) {
  const graph::Attributes& attributes = request.node.attributes;
  const Shape& x = request.inputs[0].shape;
  const auto rank = static_cast<int64_t>(x.size());
  const auto axes = get_or(attributes, "axes", std::vector<int64_t>{-1});
  if (axes.size() != 1 || rank == 0) return refuse("there is more than one axis, or none");
  const int64_t first = axes[0] < 0 ? axes[0] + rank : axes[0];
  if (first < 0 || first >= rank) return refuse("axes is outside the tensor");
  const bool to_end = get_or(attributes, "need_fusion", int64_t{0}) == 1;
  const auto from = static_cast<size_t>(first), to = to_end ? x.size() : from + 1;
  return Middle{product(x, 0, from), product(x, from, to), product(x, to, x.size())};
}

void run_rows(const Middle& m, DataType type, bool logarithm, const Tensor& x, const Tensor& y) {
  parallel_for(m.outer, std::max<int64_t>(1, grain / m.length), [&](int64_t begin, int64_t end) {
    RowBuffer row(type, m.length);
    for (int64_t r = begin; r < end; ++r) {
      const float* from = row.load(x, r * m.length);
      softmax_row(from, row.open(y, r * m.length), static_cast<size_t>(m.length), logarithm);
      row.store(y, r * m.length);
    }
  });
}

// Some neighbouring columns at a time.
void run_columns(const Middle& m, const Tensor& x, const Tensor& y) {
  constexpr auto width = static_cast<int64_t>(softmax_columns_most);
  const int64_t strips = (m.inner + width - 1) / width;
  parallel_for(m.outer * strips, std::max<int64_t>(1, grain / (m.length * std::min(width, m.inner))),
               [&](int64_t begin, int64_t end) {
                 for (int64_t s = begin; s < end; ++s) {
                   const int64_t column = s % strips * width, at = s / strips * m.length * m.inner + column;
                   softmax_columns(x.as<float>() + at, y.as<float>() + at, static_cast<size_t>(m.length),
                                   static_cast<size_t>(m.inner),
                                   static_cast<size_t>(std::min(width, m.inner - column)));
                 }
               });
}

template <bool logarithm>
MadeKernel make(const KernelRequest& request) {
  const DataType type = request.inputs[0].type;
  if (!is_float_storage(type) || request.outputs[0].type != type) return refuse("x and y must have one type of float");
  const Middle m = TRY(split(request));
  if (m.length == 0) return refuse("the axis has no elements");
  if (m.inner > 1 && (logarithm || type != DataType::Float)) return refuse("only the last axis is supported here");
  return function_kernel(
      [=](Inputs in, Outputs out) -> Status {
        if (m.inner > 1)
          run_columns(m, in[0], out[0]);
        else
          run_rows(m, type, logarithm, in[0], out[0]);
        return {};
      },
      same_places(request));
}

constexpr KernelRow rows[] = {
    {"LogSoftmaxV2", "simd", make<true>},
    {"SoftmaxV2", "simd", make<false>},
};

}  // namespace

std::span<const KernelRow> simd_softmax_rows() { return rows; }

}  // namespace belay::backend::cpu
