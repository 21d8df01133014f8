// SPDX-License-Identifier: Apache-2.0
// Highway compiles this file once for each instruction set; the best one is chosen when it is first called.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "compare/measure/kernels.cpp"
#include "hwy/foreach_target.h"  // must come before highway.h
#include "hwy/highway.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "base/half.h"
#include "compare/measure/kernels.h"
#include "hwy/contrib/math/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace belay::compare::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Doubles = hn::ScalableTag<double>;
using Real = hn::Vec<Doubles>;

// Extremes of both sides, and the largest x among those where y is least.
template <class D>
struct Extremes {
  using V = hn::Vec<D>;
  using T = hn::TFromD<D>;

  HWY_ATTR Extremes() {
    min_x = min_y = hn::Set(D(), inf);
    max_x = max_y = x_at_min_y = hn::Set(D(), -inf);
  }

  HWY_ATTR void add(V x, V y) {
    const auto less = hn::Lt(y, min_y), same = hn::Eq(y, min_y);
    x_at_min_y = hn::IfThenElse(less, x, hn::IfThenElse(same, hn::Max(x_at_min_y, x), x_at_min_y));
    min_y = hn::IfThenElse(less, y, min_y);
    max_y = hn::Max(max_y, y);
    min_x = hn::Min(min_x, x);
    max_x = hn::Max(max_x, x);
  }

  HWY_ATTR void add_to(BlockSums& sums) const {
    const D d;
    sums.min_x = hn::GetLane(hn::MinOfLanes(d, min_x));
    sums.max_x = hn::GetLane(hn::MaxOfLanes(d, max_x));
    sums.max_y = hn::GetLane(hn::MaxOfLanes(d, max_y));
    const T least = hn::GetLane(hn::MinOfLanes(d, min_y));
    sums.min_y = least;
    const auto there = hn::IfThenElse(hn::Eq(min_y, hn::Set(d, least)), x_at_min_y, hn::Set(d, -inf));
    sums.x_at_min_y = hn::GetLane(hn::MaxOfLanes(d, there));
  }

  static constexpr T inf = std::numeric_limits<T>::infinity();
  V min_x, max_x, min_y, max_y, x_at_min_y;
};

// Sums and maxima, as doubles.
struct Sums {
  HWY_ATTR explicit Sums(const Yardstick& by) {
    least = hn::Set(Doubles(), by.ulp.least);
    rtol = hn::Set(Doubles(), by.rtol);
    atol = hn::Set(Doubles(), by.atol);
    sum_x = squares_x = sum_y = squares_y = products = distance = distance_squares = relative = different = outside =
        max_distance = max_relative = max_rtol = max_ulp = hn::Zero(Doubles());
  }

  HWY_ATTR void add(Real x, Real y) {
    const Doubles d;
    const hn::RebindToSigned<Doubles> bits;
    sum_x = hn::Add(sum_x, x);
    sum_y = hn::Add(sum_y, y);
    squares_x = hn::MulAdd(x, x, squares_x);
    squares_y = hn::MulAdd(y, y, squares_y);
    products = hn::MulAdd(x, y, products);
    const auto apart = hn::Abs(hn::Sub(x, y)), size = hn::Abs(y);
    distance = hn::Add(distance, apart);
    distance_squares = hn::MulAdd(apart, apart, distance_squares);
    max_distance = hn::Max(max_distance, apart);
    const auto differs = hn::Gt(apart, hn::Zero(d));
    different = hn::Add(different, hn::IfThenElseZero(differs, hn::Set(d, 1.0)));
    const auto beyond = hn::Gt(apart, hn::MulAdd(rtol, size, atol));
    outside = hn::Add(outside, hn::IfThenElseZero(beyond, hn::Set(d, 1.0)));
    const auto ratio = hn::IfThenElseZero(differs, hn::Div(apart, size));
    max_rtol = hn::Max(max_rtol, ratio);
    const auto counted = hn::IfThenElseZero(hn::Gt(size, hn::Set(d, kEpsilon)), ratio);
    relative = hn::Add(relative, counted);
    max_relative = hn::Max(max_relative, counted);
    // 2^-e of the power of two 2^e in y: its exponent's bits taken from those of 2^0 twice.
    const auto power = hn::And(hn::BitCast(bits, hn::Max(size, least)), hn::Set(bits, int64_t{0x7ff} << 52));
    const auto inverse = hn::BitCast(d, hn::Sub(hn::Set(bits, int64_t{2046} << 52), power));
    max_ulp = hn::Max(max_ulp, hn::Mul(apart, inverse));
  }

  // 32-bit lanes, half by half.
  HWY_ATTR void add(hn::Vec<Floats> x, hn::Vec<Floats> y) {
    const Doubles d;
#if HWY_TARGET == HWY_SCALAR
    add(hn::PromoteTo(d, x), hn::PromoteTo(d, y));
#else
    const hn::Half<Floats> half;
    add(hn::PromoteTo(d, hn::LowerHalf(half, x)), hn::PromoteTo(d, hn::LowerHalf(half, y)));
    add(hn::PromoteTo(d, hn::UpperHalf(half, x)), hn::PromoteTo(d, hn::UpperHalf(half, y)));
#endif
  }

  HWY_ATTR void add_to(BlockSums& sums, const Yardstick& by) const {
    const Doubles d;
    const auto total = [&](Real v) { return hn::GetLane(hn::SumOfLanes(d, v)); };
    const auto most = [&](Real v) { return hn::GetLane(hn::MaxOfLanes(d, v)); };
    sums.sum_x = total(sum_x);
    sums.sum_y = total(sum_y);
    sums.squares_x = total(squares_x);
    sums.squares_y = total(squares_y);
    sums.products = total(products);
    sums.distance = total(distance);
    sums.distance_squares = total(distance_squares);
    sums.relative = total(relative);
    sums.different = total(different);
    sums.outside = total(outside);
    sums.max_distance = most(max_distance);
    sums.max_relative = most(max_relative);
    sums.max_rtol = most(max_rtol);
    sums.max_ulp = most(max_ulp) * by.ulp.digits_power;
  }

  Real least, rtol, atol;
  Real sum_x, squares_x, sum_y, squares_y, products, distance, distance_squares, relative, different, outside;
  Real max_distance, max_relative, max_rtol, max_ulp;
};

template <class D, class T>
HWY_ATTR size_t sum_any(const T* x, const T* y, size_t count, const Yardstick& by, BlockSums& sums) {
  const D d;
  const size_t lanes = hn::Lanes(d), whole = count - count % lanes;
  if (whole == 0) return 0;
  Extremes<D> extremes;
  Sums made(by);
  for (size_t i = 0; i < whole; i += lanes) {
    const auto a = hn::LoadU(d, x + i), b = hn::LoadU(d, y + i);
    extremes.add(a, b);
    made.add(a, b);
  }
  made.add_to(sums, by);
  extremes.add_to(sums);
  return whole;
}

HWY_ATTR size_t sum_floats(const float* x, const float* y, size_t count, const Yardstick& by, BlockSums& sums) {
  return sum_any<Floats>(x, y, count, by, sums);
}
HWY_ATTR size_t sum_doubles(const double* x, const double* y, size_t count, const Yardstick& by, BlockSums& sums) {
  return sum_any<Doubles>(x, y, count, by, sums);
}

HWY_ATTR DivergenceSums divergence(const double* x, const double* y, size_t count, double min_x, double min_y) {
  const Doubles d;
  const size_t lanes = hn::Lanes(d);
  const auto from_x = hn::Set(d, min_x), from_y = hn::Set(d, min_y), zero = hn::Zero(d), one = hn::Set(d, 1.0);
  auto sum_a = zero, sum_b = zero, sum = zero;
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto a = hn::Sub(hn::LoadU(d, x + i), from_x), b = hn::Sub(hn::LoadU(d, y + i), from_y);
    const auto some = hn::Gt(a, zero);
    const auto ratio = hn::IfThenElse(some, hn::Div(a, b), one);
    sum_a = hn::Add(sum_a, a);
    sum_b = hn::Add(sum_b, b);
    sum = hn::MulAdd(a, hn::Log(d, ratio), sum);
  }
  DivergenceSums sums{hn::GetLane(hn::SumOfLanes(d, sum_a)), hn::GetLane(hn::SumOfLanes(d, sum_b)),
                      hn::GetLane(hn::SumOfLanes(d, sum))};
  for (; i < count; ++i) {
    const double a = x[i] - min_x, b = y[i] - min_y;
    sums.a += a;
    sums.b += b;
    if (a > 0) sums.a_log_ratio += a * std::log(a / b);
  }
  return sums;
}

template <class Stored, class One>
HWY_ATTR void widen(const void* from, size_t count, float* to, const One& one) {
  const Floats d;
  const hn::Rebind<Stored, Floats> stored;
  const size_t lanes = hn::Lanes(d);
  const auto* bits = static_cast<const std::byte*>(from);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes)
    hn::StoreU(hn::PromoteTo(d, hn::LoadU(stored, reinterpret_cast<const Stored*>(bits + 2 * i))), d, to + i);
  for (; i < count; ++i) {
    uint16_t last;
    std::memcpy(&last, bits + 2 * i, sizeof last);
    to[i] = one(last);
  }
}
HWY_ATTR void halves(const void* from, size_t count, float* to) {
  widen<hwy::float16_t>(from, count, to, half_to_float);
}
HWY_ATTR void bfloats(const void* from, size_t count, float* to) {
  widen<hwy::bfloat16_t>(from, count, to, bf16_to_float);
}

}  // namespace belay::compare::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace belay::compare {

HWY_EXPORT(sum_floats);
HWY_EXPORT(sum_doubles);
HWY_EXPORT(divergence);
HWY_EXPORT(halves);
HWY_EXPORT(bfloats);

size_t sum_block(const float* x, const float* y, size_t count, const Yardstick& by, BlockSums& sums) {
  return HWY_DYNAMIC_DISPATCH(sum_floats)(x, y, count, by, sums);
}
size_t sum_block(const double* x, const double* y, size_t count, const Yardstick& by, BlockSums& sums) {
  return HWY_DYNAMIC_DISPATCH(sum_doubles)(x, y, count, by, sums);
}
DivergenceSums divergence_block(const double* x, const double* y, size_t count, double min_x, double min_y) {
  return HWY_DYNAMIC_DISPATCH(divergence)(x, y, count, min_x, min_y);
}
void widen_halves(const void* from, size_t count, float* to) { HWY_DYNAMIC_DISPATCH(halves)(from, count, to); }
void widen_bfloats(const void* from, size_t count, float* to) { HWY_DYNAMIC_DISPATCH(bfloats)(from, count, to); }

}  // namespace belay::compare
#endif
