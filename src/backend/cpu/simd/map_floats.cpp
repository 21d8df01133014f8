// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/simd/targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/simd/map_floats.cpp"
#include "hwy/foreach_target.h"  // must come before highway.h
#include "hwy/highway.h"

#include <limits>

#include "backend/cpu/simd/map_floats.h"
#include "backend/cpu/simd/math-inl.h"
#include "backend/cpu/simd/wide_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace belay::backend::cpu::HWY_NAMESPACE {

// `Tag` is Floats, or Narrow for functions that compute in double.
template <class Tag, class F>
HWY_INLINE void map_all(const float* from, float* to, size_t count, const F& f) {
  const Tag d;
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) hn::StoreU(f(hn::LoadU(d, from + i)), d, to + i);
  if (i == count) return;
  const auto rest = hn::FirstN(d, count - i);
  hn::BlendedStore(f(hn::MaskedLoad(rest, d, from + i)), rest, d, to + i);
}

// The name that each instruction set has; the switch is outside of the loops.
void map_all_of(Map map, const MapParameters& p, const float* from, float* to, size_t rows, size_t count,
                size_t stride) {
  const Vector zero = hn::Zero(Floats()), one = splat(1.0f), a = splat(p[0]), b = splat(p[1]), c = splat(p[2]);
  const auto run = [&](const auto& f) HWY_ATTR {
    for (size_t r = 0; r < rows; ++r) map_all<Floats>(from + r * stride, to + r * stride, count, f);
  };
  const auto run_wide = [&](const auto& f) HWY_ATTR {
    for (size_t r = 0; r < rows; ++r) map_all<Narrow>(from + r * stride, to + r * stride, count, f);
  };
  switch (map) {
    case Map::Abs:
      return run([](Vector x) HWY_ATTR { return hn::Abs(x); });
    case Map::AddValue:
      return run([=](Vector x) HWY_ATTR { return hn::Add(x, a); });
    case Map::Ceil:
      return run([](Vector x) HWY_ATTR { return hn::Ceil(x); });
    case Map::Cos:
      return run_wide([](NarrowVector x) HWY_ATTR { return cosine(x); });
    case Map::Cube:
      return run([](Vector x) HWY_ATTR { return hn::Mul(hn::Mul(x, x), x); });
    case Map::Elu:
      return run([=](Vector x) HWY_ATTR {
        return hn::Mul(b, hn::IfThenElse(hn::Lt(x, zero), hn::Mul(a, negative_expm1(hn::Mul(x, c))), x));
      });
    case Map::Erf:
      return run([](Vector x) HWY_ATTR { return erf(x); });
    case Map::Exp:
      return run([](Vector x) HWY_ATTR { return exponential(x); });
    case Map::FastGelu:
      return run([](Vector x) HWY_ATTR { return gated(x, hn::Mul(splat(1.702f), x)); });
    case Map::Floor:
      return run([](Vector x) HWY_ATTR { return hn::Floor(x); });
    case Map::Gelu:
      return run([](Vector x) HWY_ATTR { return gelu(x); });
    case Map::HardSigmoid:
      return run([=](Vector x) HWY_ATTR { return limit(hn::Add(hn::Mul(a, x), b), zero, one); });
    case Map::HardSwish:
      return run([=](Vector x) HWY_ATTR {
        const Vector gate = limit(hn::Add(x, splat(3.0f)), zero, splat(6.0f));
        return hn::Mul(x, hn::Div(gate, splat(6.0f)));
      });
    case Map::LeakyRelu:
      return run([=](Vector x) HWY_ATTR { return hn::IfThenElse(hn::Lt(x, zero), hn::Mul(x, a), x); });
    case Map::Limit:
      return run([=](Vector x) HWY_ATTR { return limit(x, a, b); });
    case Map::Log:
      return run_wide([](NarrowVector x) HWY_ATTR { return logarithm(x); });
    case Map::Mish:
      return run([](Vector x) HWY_ATTR { return mish(x); });
    case Map::MultiplyValue:
      return run([=](Vector x) HWY_ATTR { return hn::Mul(x, a); });
    case Map::Negative:
      return run([](Vector x) HWY_ATTR { return hn::Neg(x); });
    case Map::Reciprocal:
      return run([=](Vector x) HWY_ATTR { return hn::Div(one, x); });
    case Map::Relu:
      return run([=](Vector x) HWY_ATTR { return hn::IfThenZeroElse(hn::Lt(x, zero), x); });
    case Map::Rsqrt:
      return run([=](Vector x) HWY_ATTR { return hn::Div(one, hn::Sqrt(x)); });
    case Map::Sigmoid:
      return run([](Vector x) HWY_ATTR { return sigmoid(x); });
    case Map::Sin:
      return run_wide([](NarrowVector x) HWY_ATTR { return sine(x); });
    case Map::Sqrt:
      return run([](Vector x) HWY_ATTR { return hn::Sqrt(x); });
    case Map::SqrtOfPower:
      return run([=](Vector x) HWY_ATTR {
        const Vector infinity = splat(std::numeric_limits<float>::infinity());
        return hn::IfThenElse(hn::Eq(x, hn::Neg(infinity)), infinity, hn::Sqrt(hn::Add(x, zero)));
      });
    case Map::Square:
      return run([](Vector x) HWY_ATTR { return hn::Mul(x, x); });
    case Map::Swish:
      return run([=](Vector x) HWY_ATTR { return gated(x, hn::Mul(a, x)); });
    case Map::Tanh:
      return run([](Vector x) HWY_ATTR { return tanh(x); });
    case Map::TanhGelu:
      return run([](Vector x) HWY_ATTR { return tanh_gelu(x); });
  }
}

}  // namespace belay::backend::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace belay::backend::cpu {

HWY_EXPORT(map_all_of);
void map_floats(Map f, const MapParameters& parameters, const float* from, float* to, size_t count) {
  HWY_DYNAMIC_DISPATCH(map_all_of)(f, parameters, from, to, 1, count, count);
}
void map_rows(Map f, const MapParameters& parameters, float* y, size_t rows, size_t count, size_t stride) {
  HWY_DYNAMIC_DISPATCH(map_all_of)(f, parameters, y, y, rows, count, stride);
}

}  // namespace belay::backend::cpu
#endif
