// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/matmul/copy_rows.h"

#include "backend/cpu/simd/targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/matmul/copy_rows.cpp"
#include "hwy/foreach_target.h"  // must come before highway.h
#include "hwy/highway.h"

#include "backend/cpu/panels/product.h"

HWY_BEFORE_NAMESPACE();
namespace belay::backend::cpu::matmul::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Floats = hn::CappedTag<float, panels::lane_step>;

void copy_all(const float* from, int64_t from_row, int64_t rows, int64_t columns, float* to, int64_t pitch) {
  const Floats d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t whole = columns / lanes * lanes;
  const auto rest = hn::FirstN(d, static_cast<size_t>(columns - whole));
  for (int64_t i = 0; i < rows; ++i, from += from_row, to += pitch) {
    int64_t j = 0;
    for (; j < whole; j += lanes) hn::StoreU(hn::LoadU(d, from + j), d, to + j);
    if (j < columns) hn::StoreU(hn::MaskedLoad(rest, d, from + j), d, to + j), j += lanes;
    for (; j < pitch; j += lanes) hn::StoreU(hn::Zero(d), d, to + j);
  }
}

}  // namespace belay::backend::cpu::matmul::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace belay::backend::cpu::matmul {

HWY_EXPORT(copy_all);

void copy_rows(const float* from, int64_t from_row, int64_t rows, int64_t columns, float* to, int64_t pitch) {
  HWY_DYNAMIC_DISPATCH(copy_all)(from, from_row, rows, columns, to, pitch);
}

}  // namespace belay::backend::cpu::matmul
#endif
