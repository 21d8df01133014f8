// SPDX-License-Identifier: Apache-2.0
// Functions of float vectors that compute in double and round once: the error is little more than half a unit in the
// last place, over the whole range of floats.
#if defined(BELAY_SIMD_WIDE_MATH_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef BELAY_SIMD_WIDE_MATH_INL
#undef BELAY_SIMD_WIDE_MATH_INL
#else
#define BELAY_SIMD_WIDE_MATH_INL
#endif

#include <cmath>
#include <limits>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace belay::backend::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::ScalableTag<double>;
using Longs = hn::RebindToUnsigned<Doubles>;
using Narrow = hn::Rebind<float, Doubles>;  // as many floats as there are doubles in a vector
using Wide = hn::Vec<Doubles>;
using NarrowVector = hn::Vec<Narrow>;

HWY_INLINE Wide wide(double value) { return hn::Set(Doubles(), value); }

template <size_t n>
HWY_INLINE Wide wide_polynomial(Wide x, const double (&c)[n]) {
  Wide sum = wide(c[n - 1]);
  for (size_t i = n - 1; i-- > 0;) sum = hn::MulAdd(sum, x, wide(c[i]));
  return sum;
}

// Those that the vectors cannot do, one by one; f takes and gives a double, as all here do.
template <class F>
HWY_INLINE NarrowVector one_by_one(NarrowVector x, NarrowVector y, hn::Mask<Narrow> which, const F& f) {
  const Narrow d;
  HWY_ALIGN float from[hn::MaxLanes(d)], to[hn::MaxLanes(d)];
  hn::Store(x, d, from);
  for (size_t i = 0; i < hn::Lanes(d); ++i) to[i] = static_cast<float>(f(static_cast<double>(from[i])));
  return hn::IfThenElse(which, hn::Load(d, to), y);
}

// Up to here n has 21 bits, so that its product with `high`, of 31 bits, is exact.
inline constexpr float turns_most = 3e6f;

// The sine of x, or with `shift` 0.5 its cosine: x is n half turns and r, |r| at most a quarter turn; n is whole, or
// whole and a half.
HWY_INLINE Wide sine_after(Wide x, double shift) {
  constexpr double high = 0x1.921fb544p+1, low = 0x1.0b4611a626331p-33;  // together pi
  constexpr double magic = 0x1.8p+52;                                    // whole numbers stand in the last bits
  constexpr double c[] = {1, -1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880, -1.0 / 39916800, 1.0 / 6227020800};
  const Wide t = hn::Add(hn::MulAdd(x, wide(0x1.45f306dc9c883p-2), wide(-shift)), wide(magic));
  const Wide n = hn::Add(hn::Sub(t, wide(magic)), wide(shift));
  const Wide r = hn::NegMulAdd(n, wide(low), hn::NegMulAdd(n, wide(high), x));
  const Wide y = hn::Mul(r, wide_polynomial(hn::Mul(r, r), c));
  // cos(x) is -sin(r) where n - 1/2 is even
  const auto odd = hn::ShiftLeft<63>(hn::BitCast(Longs(), t));
  const Wide turned = hn::BitCast(Doubles(), hn::Xor(hn::BitCast(Longs(), y), odd));
  return shift == 0 ? turned : hn::Neg(turned);
}

HWY_INLINE NarrowVector sine(NarrowVector x) {
  const NarrowVector y = hn::DemoteTo(Narrow(), sine_after(hn::PromoteTo(Doubles(), x), 0));
  const auto far = hn::Not(hn::Lt(hn::Abs(x), hn::Set(Narrow(), turns_most)));
  return HWY_LIKELY(hn::AllFalse(Narrow(), far)) ? y : one_by_one(x, y, far, [](double v) { return std::sin(v); });
}

HWY_INLINE NarrowVector cosine(NarrowVector x) {
  const NarrowVector y = hn::DemoteTo(Narrow(), sine_after(hn::PromoteTo(Doubles(), x), 0.5));
  const auto far = hn::Not(hn::Lt(hn::Abs(x), hn::Set(Narrow(), turns_most)));
  return HWY_LIKELY(hn::AllFalse(Narrow(), far)) ? y : one_by_one(x, y, far, [](double v) { return std::cos(v); });
}

// x = 2^n m, m within a factor of the root of two from 1; log m = 2 atanh((m - 1) / (m + 1)). A denormal float is an
// ordinary double.
HWY_INLINE NarrowVector logarithm(NarrowVector x) {
  constexpr double c[] = {2, 2.0 / 3, 2.0 / 5, 2.0 / 7, 2.0 / 9, 2.0 / 11};
  constexpr uint64_t root = 0x3fe6a09e667f3bcd, one = 0x3ff0000000000000, magic = 0x4330000000000000;
  const Longs u;
  const auto bits = hn::BitCast(u, hn::PromoteTo(Doubles(), x));
  // The exponent of x over that root, as a number above 0.
  const auto above = hn::ShiftRight<52>(hn::Add(bits, hn::Set(u, one - root)));
  const Wide n = hn::Sub(hn::BitCast(Doubles(), hn::Or(above, hn::Set(u, magic))), wide(0x1p52 + 1023));
  const auto exponent = hn::ShiftLeft<52>(above);
  const Wide m = hn::BitCast(Doubles(), hn::Add(hn::Sub(bits, exponent), hn::Set(u, one)));
  const Wide s = hn::Div(hn::Sub(m, wide(1)), hn::Add(m, wide(1)));
  const Wide y = hn::MulAdd(n, wide(0x1.62e42fefa39efp-1), hn::Mul(s, wide_polynomial(hn::Mul(s, s), c)));
  const Narrow d;
  const auto zero = hn::Zero(d), infinity = hn::Set(d, std::numeric_limits<float>::infinity());
  NarrowVector result = hn::DemoteTo(d, y);
  result = hn::IfThenElse(hn::Eq(x, zero), hn::Neg(infinity), result);
  result = hn::IfThenElse(hn::Eq(x, infinity), infinity, result);
  const auto none = hn::Or(hn::Lt(x, zero), hn::IsNaN(x));
  return hn::IfThenElse(none, hn::Set(d, std::numeric_limits<float>::quiet_NaN()), result);
}

}  // namespace belay::backend::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
