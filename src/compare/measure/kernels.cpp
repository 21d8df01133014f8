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

template <class T>
T stored_at(const std::byte* bytes, size_t index) {
  T value;
  std::memcpy(&value, bytes + index * sizeof(T), sizeof(T));
  return value;
}

// Extremes of both sides, and the largest x among those where y is least.
template <class D>
struct Extremes {
  using V = hn::Vec<D>;
  using T = hn::TFromD<D>;

  HWY_ATTR Extremes() {
    min_x = min_y = hn::Set(D(), inf);
    max_x = max_y = x_at_min_y = hn::Set(D(), -inf);
  }

  HWY_INLINE HWY_ATTR void add(V x, V y) {
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

// Sums and maxima, as doubles. Without a tolerance what differs is outside of it.
template <bool with_tolerance>
struct Sums {
  HWY_ATTR explicit Sums(const Yardstick& by) {
    least = hn::Set(Doubles(), by.ulp.least);
    rtol = hn::Set(Doubles(), by.rtol);
    atol = hn::Set(Doubles(), by.atol);
    sum_x = squares_x = sum_y = squares_y = products = distance = distance_squares = relative = max_distance =
        max_relative = max_rtol = max_ulp = hn::Zero(Doubles());
  }

  HWY_INLINE HWY_ATTR void add(Real x, Real y) {
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
    different += hn::CountTrue(d, differs);
    if constexpr (with_tolerance) outside += hn::CountTrue(d, hn::Gt(apart, hn::MulAdd(rtol, size, atol)));
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
    sums.different = different;
    sums.outside = with_tolerance ? outside : different;
    sums.max_distance = most(max_distance);
    sums.max_relative = most(max_relative);
    sums.max_rtol = most(max_rtol);
    sums.max_ulp = most(max_ulp) * by.ulp.digits_power;
  }

  Real least, rtol, atol;
  Real sum_x, squares_x, sum_y, squares_y, products, distance, distance_squares, relative;
  Real max_distance, max_relative, max_rtol, max_ulp;
  size_t different = 0, outside = 0;
};

template <class Sum>
HWY_INLINE HWY_ATTR void add_lanes(Sum& sum, Real x, Real y) {
  sum.add(x, y);
}
// 32-bit lanes, half by half.
template <class Sum>
HWY_INLINE HWY_ATTR void add_lanes(Sum& sum, hn::Vec<Floats> x, hn::Vec<Floats> y) {
  const Doubles d;
#if HWY_TARGET == HWY_SCALAR
  sum.add(hn::PromoteTo(d, x), hn::PromoteTo(d, y));
#else
  const hn::Half<Floats> half;
  sum.add(hn::PromoteTo(d, hn::LowerHalf(half, x)), hn::PromoteTo(d, hn::LowerHalf(half, y)));
  sum.add(hn::PromoteTo(d, hn::UpperHalf(half, x)), hn::PromoteTo(d, hn::UpperHalf(half, y)));
#endif
}

// Elements as they are stored, as lanes of floats or of doubles, and one by one.
struct FloatElements {
  using Lanes = Floats;
  static HWY_INLINE HWY_ATTR auto load(const std::byte* at, size_t i) {
    return hn::LoadU(Floats(), reinterpret_cast<const float*>(at + i * sizeof(float)));
  }
  static float one(const std::byte* at, size_t i) { return stored_at<float>(at, i); }
};
struct DoubleElements {
  using Lanes = Doubles;
  static HWY_INLINE HWY_ATTR auto load(const std::byte* at, size_t i) {
    return hn::LoadU(Doubles(), reinterpret_cast<const double*>(at + i * sizeof(double)));
  }
  static double one(const std::byte* at, size_t i) { return stored_at<double>(at, i); }
};
template <class Stored>
HWY_INLINE HWY_ATTR hn::Vec<Floats> load_widened(const std::byte* at) {
  const hn::Rebind<Stored, Floats> stored;
  return hn::PromoteTo(Floats(), hn::LoadU(stored, reinterpret_cast<const Stored*>(at)));
}
struct HalfElements {
  using Lanes = Floats;
  static HWY_INLINE HWY_ATTR auto load(const std::byte* at, size_t i) {
    return load_widened<hwy::float16_t>(at + 2 * i);
  }
  static float one(const std::byte* at, size_t i) { return half_to_float(stored_at<uint16_t>(at, i)); }
};
struct BFloatElements {
  using Lanes = Floats;
  static HWY_INLINE HWY_ATTR auto load(const std::byte* at, size_t i) {
    return load_widened<hwy::bfloat16_t>(at + 2 * i);
  }
  static float one(const std::byte* at, size_t i) { return bf16_to_float(stored_at<uint16_t>(at, i)); }
};

// Calls body(X(), Y()) with how x and y are stored.
template <class Body>
HWY_ATTR auto with_stored(Elements::As x, Elements::As y, const Body& body) {
  using As = Elements::As;
  if (x == As::Double) return body(DoubleElements(), DoubleElements());
  const auto with_y = [&](auto of_x) HWY_ATTR {
    if (y == As::Half) return body(of_x, HalfElements());
    return y == As::BFloat ? body(of_x, BFloatElements()) : body(of_x, FloatElements());
  };
  if (x == As::Half) return with_y(HalfElements());
  return x == As::BFloat ? with_y(BFloatElements()) : with_y(FloatElements());
}

template <class X, class Y, class Made>
HWY_ATTR size_t sum_with(const std::byte* x, const std::byte* y, size_t count, const Yardstick& by, BlockSums& sums) {
  const typename X::Lanes d;
  const size_t lanes = hn::Lanes(d), whole = count - count % lanes;
  if (whole == 0) return 0;
  Extremes<typename X::Lanes> extremes;
  Made made(by);
  for (size_t i = 0; i < whole; i += lanes) {
    const auto a = X::load(x, i), b = Y::load(y, i);
    extremes.add(a, b);
    add_lanes(made, a, b);
  }
  made.add_to(sums, by);
  extremes.add_to(sums);
  return whole;
}

HWY_ATTR size_t sum_elements(Elements x, Elements y, size_t count, const Yardstick& by, BlockSums& sums) {
  const auto *at_x = static_cast<const std::byte*>(x.data), *at_y = static_cast<const std::byte*>(y.data);
  const bool tolerant = by.rtol > 0 || by.atol > 0;
  return with_stored(x.as, y.as, [&]<class X, class Y>(X, Y) HWY_ATTR {
    return tolerant ? sum_with<X, Y, Sums<true>>(at_x, at_y, count, by, sums)
                    : sum_with<X, Y, Sums<false>>(at_x, at_y, count, by, sums);
  });
}

// ln(a/b) = 2 artanh(s), s = (a-b)/(a+b): a short series where a and b are near, which is where they usually are.
HWY_INLINE HWY_ATTR Real log_ratio(Real a, Real b) {
  const Doubles d;
  constexpr double near = 0.04;  // the first term left out is s^13 / 13: less than 1e-17 of s
  const auto s = hn::Div(hn::Sub(a, b), hn::Add(a, b));
  if (HWY_UNLIKELY(!hn::AllTrue(d, hn::Le(hn::Abs(s), hn::Set(d, near))))) return hn::Log(d, hn::Div(a, b));
  const auto z = hn::Mul(s, s);
  auto series = hn::Set(d, 2.0 / 11);
  for (const double term : {2.0 / 9, 2.0 / 7, 2.0 / 5, 2.0 / 3, 2.0}) series = hn::MulAdd(series, z, hn::Set(d, term));
  return hn::Mul(series, s);
}

struct Divergence {
  HWY_ATTR Divergence(double min_x, double min_y) {
    from_x = hn::Set(Doubles(), min_x);
    from_y = hn::Set(Doubles(), min_y);
    a_sum = b_sum = logs = hn::Zero(Doubles());
  }

  HWY_INLINE HWY_ATTR void add(Real x, Real y) {
    const auto a = hn::Sub(x, from_x), b = hn::Sub(y, from_y), one = hn::Set(Doubles(), 1.0);
    const auto some = hn::Gt(a, hn::Zero(Doubles()));
    a_sum = hn::Add(a_sum, a);
    b_sum = hn::Add(b_sum, b);
    logs = hn::MulAdd(a, log_ratio(hn::IfThenElse(some, a, one), hn::IfThenElse(some, b, one)), logs);
  }

  Real from_x, from_y, a_sum, b_sum, logs;
};

template <class X, class Y>
HWY_ATTR DivergenceSums divergence_with(const std::byte* x, const std::byte* y, size_t count, double min_x,
                                        double min_y) {
  const size_t lanes = hn::Lanes(typename X::Lanes());
  Divergence made(min_x, min_y);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) add_lanes(made, X::load(x, i), Y::load(y, i));
  const Doubles doubles;
  DivergenceSums sums{hn::GetLane(hn::SumOfLanes(doubles, made.a_sum)),
                      hn::GetLane(hn::SumOfLanes(doubles, made.b_sum)),
                      hn::GetLane(hn::SumOfLanes(doubles, made.logs))};
  for (; i < count; ++i) {
    const double a = X::one(x, i) - min_x, b = Y::one(y, i) - min_y;
    sums.a += a;
    sums.b += b;
    if (a > 0) sums.a_log_ratio += a * std::log(a / b);
  }
  return sums;
}

HWY_ATTR DivergenceSums divergence_elements(Elements x, Elements y, size_t count, double min_x, double min_y) {
  const auto *at_x = static_cast<const std::byte*>(x.data), *at_y = static_cast<const std::byte*>(y.data);
  return with_stored(x.as, y.as, [&]<class X, class Y>(X, Y) HWY_ATTR {
    return divergence_with<X, Y>(at_x, at_y, count, min_x, min_y);
  });
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

HWY_EXPORT(sum_elements);
HWY_EXPORT(divergence_elements);
HWY_EXPORT(halves);
HWY_EXPORT(bfloats);

size_t sum_block(Elements x, Elements y, size_t count, const Yardstick& by, BlockSums& sums) {
  return HWY_DYNAMIC_DISPATCH(sum_elements)(x, y, count, by, sums);
}
DivergenceSums divergence_block(Elements x, Elements y, size_t count, double min_x, double min_y) {
  return HWY_DYNAMIC_DISPATCH(divergence_elements)(x, y, count, min_x, min_y);
}
void widen_halves(const void* from, size_t count, float* to) { HWY_DYNAMIC_DISPATCH(halves)(from, count, to); }
void widen_bfloats(const void* from, size_t count, float* to) { HWY_DYNAMIC_DISPATCH(bfloats)(from, count, to); }

}  // namespace belay::compare
#endif
