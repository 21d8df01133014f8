// SPDX-License-Identifier: Apache-2.0
// Functions of float vectors, compiled for each instruction set. Errors are at most 4 units in the last place of the
// exact result (gelu: 8), denormal results included; a NaN stays a NaN. The polynomials are minimax fits of relative
// error.
#if defined(BELAY_SIMD_MATH_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef BELAY_SIMD_MATH_INL
#undef BELAY_SIMD_MATH_INL
#else
#define BELAY_SIMD_MATH_INL
#endif

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace belay::backend::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Integers = hn::RebindToSigned<Floats>;
using Vector = hn::Vec<Floats>;

HWY_INLINE Vector splat(float value) { return hn::Set(Floats(), value); }

// Within [low, high]; a NaN stays.
HWY_INLINE Vector limit(Vector x, Vector low, Vector high) {
  x = hn::IfThenElse(hn::Lt(x, low), low, x);
  return hn::IfThenElse(hn::Lt(high, x), high, x);
}

// c[0] + c[1] x + c[2] x² ...
template <size_t n>
HWY_INLINE Vector polynomial(Vector x, const float (&c)[n]) {
  Vector sum = splat(c[n - 1]);
  for (size_t i = n - 1; i-- > 0;) sum = hn::MulAdd(sum, x, splat(c[i]));
  return sum;
}

// 2 to the power of a whole number in [-126, 127].
HWY_INLINE Vector power_of_two(hn::Vec<Integers> n) {
  const Integers d;
  return hn::BitCast(Floats(), hn::ShiftLeft<23>(hn::Add(n, hn::Set(d, 127))));
}

// y times 2 to the power of n, a whole number in [-250, 250], rounded once.
HWY_INLINE Vector scaled(Vector y, Vector n) {
#if HWY_TARGET <= HWY_AVX3
  return Vector{_mm512_scalef_ps(y.raw, n.raw)};
#else
  const auto whole = hn::ConvertTo(Integers(), n);
  const auto half = hn::ShiftRight<1>(whole);
  return hn::Mul(hn::Mul(y, power_of_two(half)), power_of_two(hn::Sub(whole, half)));
#endif
}

// x = n ln 2 + r, n whole and |r| at most half of ln 2.
struct Reduced {
  Vector n, r;
};
HWY_INLINE Reduced reduce_by_ln2(Vector x) {
  const Vector n = hn::Round(hn::Mul(x, splat(1.44269504f)));
  const Vector r = hn::NegMulAdd(n, splat(0.693359375f), x);  // n times this is exact
  return {n, hn::NegMulAdd(n, splat(-2.12194440e-4f), r)};
}

// e^r - 1 for a reduced r.
HWY_INLINE Vector reduced_expm1(Vector r) {
  constexpr float c[] = {0.49999994f, 0.166665211f, 0.041668389f, 0.00836874545f, 0.00138145394f};
  return hn::MulAdd(hn::Mul(r, r), polynomial(r, c), r);
}

// e^x in factors: the power of two comes last, so that a product with it is rounded once even when it is denormal.
struct Power {
  Vector y, n;
  HWY_INLINE Vector times(Vector factor) const { return scaled(hn::Mul(factor, y), n); }
  HWY_INLINE Vector value() const { return scaled(y, n); }
};
HWY_INLINE Power power_of_reduced(const Reduced& x) { return {hn::Add(reduced_expm1(x.r), splat(1.0f)), x.n}; }
HWY_INLINE Power power_of_e(Vector x) {
  return power_of_reduced(reduce_by_ln2(limit(x, splat(-125.0f), splat(89.0f))));
}

HWY_INLINE Vector exponential(Vector x) { return power_of_e(x).value(); }

// e^x - 1 for x of 0 and below.
HWY_INLINE Vector negative_expm1(Vector x) {
  const auto [n, r] = reduce_by_ln2(limit(x, splat(-30.0f), splat(0.0f)));
  const Vector scale = power_of_two(hn::ConvertTo(Integers(), n));
  return hn::MulAdd(scale, reduced_expm1(r), hn::Sub(scale, splat(1.0f)));
}

// x / (1 + e^-gate).
HWY_INLINE Vector gated(Vector x, Vector gate) {
  const Vector zero = hn::Zero(Floats());
  const Vector size = hn::Abs(gate), most = splat(125.0f);
  const auto far = hn::Lt(most, size);
  Power e = power_of_reduced(reduce_by_ln2(hn::Neg(hn::IfThenElse(far, most, size))));
  e.y = hn::IfThenZeroElse(far, e.y);
  return hn::Div(hn::IfThenElse(hn::Lt(gate, zero), e.times(x), x), hn::Add(splat(1.0f), e.value()));
}

HWY_INLINE Vector sigmoid(Vector x) { return gated(splat(1.0f), x); }

HWY_INLINE Vector tanh(Vector x) {
  constexpr float c[] = {-0.333333313f, 0.133332059f, -0.0539467633f, 0.0217007007f, -0.00817739498f, 0.00214295881f};
  const Vector size = hn::Abs(x), square = hn::Mul(x, x), one = splat(1.0f);
  const Vector near = hn::MulAdd(hn::Mul(size, square), polynomial(square, c), size);
  const Vector e = exponential(hn::Add(size, size));
  const Vector far = hn::Sub(one, hn::Div(splat(2.0f), hn::Add(e, one)));
  return hn::CopySign(hn::IfThenElse(hn::Lt(size, splat(0.625f)), near, far), x);
}

// exp(t²/2) erfc(t/√2) for t in [0, 16], as a polynomial of 1/(1 + t/4).
HWY_INLINE Vector scaled_erfc(Vector t) {
  constexpr float c[] = {-3.97095828e-05f, 0.200390697f,  0.190197811f, 0.240533039f,  -0.0332075506f,
                         0.594793439f,     -0.649741948f, 0.776980042f, -0.386757135f, 0.0668512434f};
  return polynomial(hn::Div(splat(1.0f), hn::MulAdd(t, splat(0.25f), splat(1.0f))), c);
}

// What a product lost by rounding.
HWY_INLINE Vector rest_of_product(Vector a, Vector b, Vector product) {
#if HWY_NATIVE_FMA
  return hn::MulSub(a, b, product);
#else  // not fused: in halves, whose products are exact
  const auto upper = hn::BitCast(Floats(), hn::Set(Integers(), -4096));
  const Vector p = hn::And(a, upper), q = hn::And(b, upper), r = hn::Sub(a, p), s = hn::Sub(b, q);
  const Vector most = hn::Add(hn::Add(hn::Sub(hn::Mul(p, q), product), hn::Mul(p, s)), hn::Mul(r, q));
  return hn::Add(most, hn::Mul(r, s));
#endif
}

// exp(-a b) for a product of 0 to 125: what it loses by rounding is put back.
HWY_INLINE Power power_of_product(Vector a, Vector b) {
  const Vector product = hn::Mul(a, b), rest = rest_of_product(a, b, product);
  Power e = power_of_reduced(reduce_by_ln2(hn::Neg(product)));
  e.y = hn::NegMulAdd(e.y, rest, e.y);
  return e;
}

// erf(x) / x from x² of at most 1.
HWY_INLINE Vector erf_ratio(Vector square) {
  constexpr float c[] = {1.12837911f,    -0.37612626f,     0.112835854f,   -0.026853811f,
                         0.00518832775f, -0.000801019254f, 7.85385782e-05f};
  return polynomial(square, c);
}

HWY_INLINE Vector erf(Vector x) {
  const Vector size = limit(hn::Abs(x), hn::Zero(Floats()), splat(5.0f));
  const Vector near = hn::Mul(x, erf_ratio(hn::Mul(x, x)));
  const Vector complement = power_of_product(size, size).times(scaled_erfc(hn::Mul(size, splat(1.41421356f))));
  const Vector far = hn::CopySign(hn::Sub(splat(1.0f), complement), x);
  return hn::IfThenElse(hn::Lt(size, splat(1.0f)), near, far);
}

// x times the normal distribution's integral up to x: x, or 0 when it is negative, less |x| times the tail beyond it.
HWY_INLINE Vector gelu(Vector x) {
  const Vector zero = hn::Zero(Floats()), half = splat(0.5f), most = splat(15.8f), size = hn::Abs(x);
  const auto far = hn::Lt(most, size);
  const Vector t = hn::IfThenElse(far, most, size);
  const Vector tail = power_of_product(t, hn::Mul(t, half)).times(hn::Mul(hn::Mul(half, t), scaled_erfc(t)));
  const Vector start = hn::IfThenElse(hn::Lt(x, zero), hn::Mul(x, zero), x);  // -0 where it is negative
  return hn::Sub(start, hn::IfThenZeroElse(far, tail));
}

// The same with tanh(√(2/π) (x + 0.044715 x³)) in place of the error function.
HWY_INLINE Vector tanh_gelu(Vector x) {
  const Vector cubic = hn::MulAdd(hn::Mul(hn::Mul(x, x), x), splat(0.044715f), x);
  return gated(x, hn::Mul(splat(1.59576912f), cubic));
}

// x tanh(log(1 + e^x)) = x (n² + 2n) / (n² + 2n + 2) with n = e^x.
HWY_INLINE Vector mish(Vector x) {
  const Vector n = exponential(hn::IfThenElse(hn::Gt(x, splat(20.0f)), splat(20.0f), x));
  const Vector square = hn::Mul(n, hn::Add(n, splat(2.0f)));
  return hn::Mul(x, hn::Div(square, hn::Add(square, splat(2.0f))));
}

}  // namespace belay::backend::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
