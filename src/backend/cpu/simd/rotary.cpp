// SPDX-License-Identifier: Apache-2.0
// Rotary position embedding, row by row: x * cos + turned(x) * sin.
#include "backend/cpu/arguments.h"
#include "backend/cpu/function_kernel.h"
#include "backend/cpu/rows.h"
#include "backend/cpu/simd/rotate_floats.h"
#include "backend/cpu/simd/row_buffer.h"
#include "base/threads/parallel.h"
#include "graph/infer/arguments.h"

namespace belay::backend::cpu {
namespace {

constexpr int64_t grain = 1 << 14;  // elements that are worth a thread

// Where the row of cos or sin begins that belongs to a row of x: they broadcast in all dimensions but the last.
class RowPlaces {
 public:
  RowPlaces(const Shape& x, const Shape& other) : dims_(x.begin(), x.end() - 1), steps_(dims_.size()) {
    int64_t step = other.back();
    for (size_t d = dims_.size(); d-- > 0; step *= other[d]) steps_[d] = other[d] == 1 ? 0 : step;
  }
  int64_t of(int64_t row) const {
    int64_t place = 0;
    for (size_t d = dims_.size(); d-- > 0; row /= dims_[d]) place += row % dims_[d] * steps_[d];
    return place;
  }

 private:
  Shape dims_, steps_;
};

Status check(const KernelRequest& request) {
  const Shape& x = request.inputs[0].shape;
  if (x.empty() || x.back() == 0 || x.back() % 2) return refuse("the last dimension must be even");
  if (!is_float_storage(request.inputs[0].type)) return refuse("only float, float16 and bfloat16 are supported here");
  for (const auto& input : request.inputs) {
    if (input.type != request.inputs[0].type) return refuse("x, cos and sin must have one type");
    if (input.shape.size() != x.size() || input.shape.back() != x.back())
      return refuse("cos and sin must have the rank and the last dimension of x");
    for (size_t d = 0; d < x.size(); ++d)
      if (input.shape[d] != x[d] && input.shape[d] != 1) return refuse("cos and sin do not broadcast to x");
  }
  return {};
}

MadeKernel make_rotary(const KernelRequest& request) {
  TRY(check(request));
  const int64_t mode = graph::int_of(request.node, "mode", 0);
  if (mode != 0 && mode != 1) return refuse("only mode 0 (halves) and 1 (interleaved) are supported");
  const Shape& x = request.inputs[0].shape;
  const RowPlaces cosines(x, request.inputs[1].shape), sines(x, request.inputs[2].shape);
  return function_kernel([=, width = x.back(), type = request.inputs[0].type](Inputs in, Outputs out) -> Status {
    parallel_for(in[0].count() / width, std::max<int64_t>(1, grain / width), [&](int64_t begin, int64_t end) {
      RowBuffer row(type, width), cos(type, width), sin(type, width), result(type, width);
      for (int64_t r = begin; r < end; ++r) {
        rotate_floats(mode == 1, row.load(in[0], r * width), cos.load(in[1], cosines.of(r)),
                      sin.load(in[2], sines.of(r)), result.open(out[0], r * width), static_cast<size_t>(width));
        result.store(out[0], r * width);
      }
    });
    return {};
  });
}

constexpr KernelRow rows[] = {
    {"RotaryMul", "simd", make_rotary},
    {"RotaryPositionEmbedding", "simd", make_rotary},
};

}  // namespace

std::span<const KernelRow> simd_rotary_rows() { return rows; }

}  // namespace belay::backend::cpu
