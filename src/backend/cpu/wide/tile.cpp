// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/simd/targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/wide/tile.cpp"
#include "hwy/foreach_target.h"  // must come before highway.h
#include "hwy/highway.h"

#include "backend/cpu/panels/unroll.h"
#include "backend/cpu/wide/tile.h"
#include "backend/wide_product.h"

HWY_BEFORE_NAMESPACE();
namespace belay::backend::cpu::wide::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Doubles = hn::ScalableTag<double>;
using Vector = hn::Vec<Doubles>;

constexpr size_t rows = static_cast<size_t>(tile_rows);

int64_t columns_here() { return 2 * static_cast<int64_t>(hn::Lanes(Doubles())); }

void multiply_here(const Tile& tile) {
  const Doubles d;
  const size_t lanes = hn::Lanes(d), columns = 2 * lanes;
  const double *left = tile.left, *right = tile.right;
  for (int64_t done = 0; done < tile.depth; done += wide_block) {
    const int64_t until = tile.depth - done < wide_block ? tile.depth - done : wide_block;
    Vector sums[rows][2];
    BELAY_UNROLL
    for (size_t r = 0; r < rows; ++r) sums[r][0] = sums[r][1] = hn::Zero(d);
    for (int64_t k = 0; k < until; ++k, left += rows, right += columns) {
      const Vector first = hn::LoadU(d, right), second = hn::LoadU(d, right + lanes);
      BELAY_UNROLL
      for (size_t r = 0; r < rows; ++r) {
        const Vector factor = hn::Set(d, left[r]);
        sums[r][0] = hn::MulAdd(factor, first, sums[r][0]);
        sums[r][1] = hn::MulAdd(factor, second, sums[r][1]);
      }
    }
    BELAY_UNROLL
    for (size_t r = 0; r < rows; ++r) BELAY_UNROLL
    for (size_t j = 0; j < 2; ++j) {
      double* y = tile.y + r * columns + j * lanes;
      hn::StoreU(hn::Add(hn::LoadU(d, y), sums[r][j]), d, y);
      if (!tile.partial) continue;
      double* partial = tile.partial + r * columns + j * lanes;
      hn::StoreU(hn::Add(hn::LoadU(d, partial), hn::Abs(sums[r][j])), d, partial);
    }
  }
}

}  // namespace belay::backend::cpu::wide::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace belay::backend::cpu::wide {

HWY_EXPORT(columns_here);
HWY_EXPORT(multiply_here);

int64_t tile_columns() { return HWY_DYNAMIC_DISPATCH(columns_here)(); }
void multiply_tile(const Tile& tile) { HWY_DYNAMIC_DISPATCH(multiply_here)(tile); }

}  // namespace belay::backend::cpu::wide
#endif
