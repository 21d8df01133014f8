// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/simd/targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/matmul/dot.cpp"
#include "hwy/foreach_target.h"  // must come before highway.h
#include "hwy/highway.h"

#include "backend/cpu/matmul/dot.h"
#include "backend/cpu/panels/unroll.h"

HWY_BEFORE_NAMESPACE();
namespace belay::backend::cpu::matmul::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Floats = hn::ScalableTag<float>;
using Vector = hn::Vec<Floats>;

constexpr size_t most_columns = 4;  // that are computed at a time

HWY_INLINE Vector load_some(const float* from, size_t count) {
  const Floats d;
  return hn::MaskedLoad(hn::FirstN(d, count), d, from);
}

template <size_t Rows, size_t Columns>
void multiply_block(const DotSides& s, float* y, int64_t y_row) {
  const Floats d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  Vector sums[Rows][Columns];
  BELAY_UNROLL
  for (size_t r = 0; r < Rows; ++r) BELAY_UNROLL
  for (size_t j = 0; j < Columns; ++j) sums[r][j] = hn::Zero(d);
  const auto add = [&](int64_t k, const auto& load) HWY_ATTR {
    Vector left[Rows];
    BELAY_UNROLL
    for (size_t r = 0; r < Rows; ++r) left[r] = load(s.left + static_cast<int64_t>(r) * s.left_row + k);
    BELAY_UNROLL
    for (size_t j = 0; j < Columns; ++j) {
      const Vector right = load(s.right + static_cast<int64_t>(j) * s.right_row + k);
      BELAY_UNROLL
      for (size_t r = 0; r < Rows; ++r) sums[r][j] = hn::MulAdd(left[r], right, sums[r][j]);
    }
  };
  int64_t k = 0;
  for (; k + lanes <= s.depth; k += lanes) add(k, [](const float* at) HWY_ATTR { return hn::LoadU(Floats(), at); });
  if (const auto rest = static_cast<size_t>(s.depth - k); rest > 0)
    add(k, [rest](const float* at) HWY_ATTR { return load_some(at, rest); });
  BELAY_UNROLL
  for (size_t r = 0; r < Rows; ++r) BELAY_UNROLL
  for (size_t j = 0; j < Columns; ++j)
    y[static_cast<int64_t>(r) * y_row + static_cast<int64_t>(j)] = hn::GetLane(hn::SumOfLanes(d, sums[r][j]));
}

template <size_t Rows>
void multiply_rows(DotSides s, float* y, int64_t y_row) {
  constexpr auto most = static_cast<int64_t>(most_columns);
  int64_t j = 0;
  for (; j + most <= s.columns; j += most, s.right += most * s.right_row)
    multiply_block<Rows, most_columns>(s, y + j, y_row);
  for (; j < s.columns; ++j, s.right += s.right_row) multiply_block<Rows, 1>(s, y + j, y_row);
}

void multiply_all(const DotSides& sides, float* y, int64_t y_row) {
  DotSides s = sides;
  int64_t r = 0;
  for (; r + 2 <= s.rows; r += 2, s.left += 2 * s.left_row) multiply_rows<2>(s, y + r * y_row, y_row);
  if (r < s.rows) multiply_rows<1>(s, y + r * y_row, y_row);
}

}  // namespace belay::backend::cpu::matmul::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace belay::backend::cpu::matmul {

HWY_EXPORT(multiply_all);

void multiply_by_dots(const DotSides& sides, float* y, int64_t y_row) {
  HWY_DYNAMIC_DISPATCH(multiply_all)(sides, y, y_row);
}

}  // namespace belay::backend::cpu::matmul
#endif
