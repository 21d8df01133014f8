// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/simd/targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/simd/rotate_floats.cpp"
#include "hwy/foreach_target.h"  // must come before highway.h
#include "hwy/highway.h"

#include "backend/cpu/simd/rotate_floats.h"

HWY_BEFORE_NAMESPACE();
namespace belay::backend::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

void rotate_halves(const float* x, const float* cos, const float* sin, float* y, size_t width) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d), half = width / 2;
  size_t i = 0;
  for (; i + lanes <= half; i += lanes) {
    const auto a = hn::LoadU(d, x + i), b = hn::LoadU(d, x + half + i);
    hn::StoreU(hn::NegMulAdd(b, hn::LoadU(d, sin + i), hn::Mul(a, hn::LoadU(d, cos + i))), d, y + i);
    hn::StoreU(hn::MulAdd(a, hn::LoadU(d, sin + half + i), hn::Mul(b, hn::LoadU(d, cos + half + i))), d, y + half + i);
  }
  for (; i < half; ++i) {
    const float a = x[i], b = x[half + i];
    y[i] = a * cos[i] - b * sin[i];
    y[half + i] = b * cos[half + i] + a * sin[half + i];
  }
}

void rotate_pairs(const float* x, const float* cos, const float* sin, float* y, size_t width) {
  size_t i = 0;
#if HWY_TARGET != HWY_SCALAR  // a vector has neighbours
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  for (; i + lanes <= width; i += lanes) {
    const auto a = hn::LoadU(d, x + i), across = hn::Mul(hn::Shuffle2301(a), hn::LoadU(d, sin + i));
    hn::StoreU(hn::MulAdd(a, hn::LoadU(d, cos + i), hn::OddEven(across, hn::Neg(across))), d, y + i);
  }
#endif
  for (; i < width; i += 2) {
    const float a = x[i], b = x[i + 1];
    y[i] = a * cos[i] - b * sin[i];
    y[i + 1] = b * cos[i + 1] + a * sin[i + 1];
  }
}

}  // namespace belay::backend::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace belay::backend::cpu {

HWY_EXPORT(rotate_halves);
HWY_EXPORT(rotate_pairs);
void rotate_floats(bool neighbours, const float* x, const float* cos, const float* sin, float* y, size_t width) {
  if (neighbours)
    HWY_DYNAMIC_DISPATCH(rotate_pairs)(x, cos, sin, y, width);
  else
    HWY_DYNAMIC_DISPATCH(rotate_halves)(x, cos, sin, y, width);
}

}  // namespace belay::backend::cpu
#endif
