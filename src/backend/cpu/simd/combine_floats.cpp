// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/simd/targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/simd/combine_floats.cpp"
#include "hwy/foreach_target.h"  // must come before highway.h
#include "hwy/highway.h"

#include "backend/cpu/simd/combine_floats.h"
#include "backend/cpu/simd/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace belay::backend::cpu::HWY_NAMESPACE {

// A NaN on either side is the result.
HWY_INLINE Vector larger(Vector x, Vector y) { return hn::IfThenElse(hn::Or(hn::Lt(x, y), hn::IsNaN(y)), y, x); }
HWY_INLINE Vector smaller(Vector x, Vector y) { return hn::IfThenElse(hn::Or(hn::Lt(y, x), hn::IsNaN(y)), y, x); }

template <class F>
HWY_INLINE void combine_row(const float* x, int64_t dx, const float* y, int64_t dy, float* z, size_t length,
                            const F& f) {
  const Floats d;
  const size_t lanes = hn::Lanes(d);
  const Vector first_x = splat(*x), first_y = splat(*y);
  size_t i = 0;
  if (dx && dy) {
    for (; i + lanes <= length; i += lanes) hn::StoreU(f(hn::LoadU(d, x + i), hn::LoadU(d, y + i)), d, z + i);
  } else if (dx) {
    for (; i + lanes <= length; i += lanes) hn::StoreU(f(hn::LoadU(d, x + i), first_y), d, z + i);
  } else {
    for (; i + lanes <= length; i += lanes) hn::StoreU(f(first_x, dy ? hn::LoadU(d, y + i) : first_y), d, z + i);
  }
  if (i == length) return;
  const auto rest = hn::FirstN(d, length - i);
  hn::BlendedStore(f(dx ? hn::MaskedLoad(rest, d, x + i) : first_x, dy ? hn::MaskedLoad(rest, d, y + i) : first_y),
                   rest, d, z + i);
}

void combine_all_of(Combine combine, Operand x, Operand y, float* z, int64_t rows, int64_t length) {
  const auto run = [&](const auto& f) HWY_ATTR {
    for (int64_t r = 0; r < rows; ++r)
      combine_row(x.data + r * x.row, x.step, y.data + r * y.row, y.step, z + r * length, static_cast<size_t>(length),
                  f);
  };
  switch (combine) {
    case Combine::Add:
      return run([](Vector a, Vector b) HWY_ATTR { return hn::Add(a, b); });
    case Combine::Subtract:
      return run([](Vector a, Vector b) HWY_ATTR { return hn::Sub(a, b); });
    case Combine::Multiply:
      return run([](Vector a, Vector b) HWY_ATTR { return hn::Mul(a, b); });
    case Combine::Divide:
      return run([](Vector a, Vector b) HWY_ATTR { return hn::Div(a, b); });
    case Combine::Maximum:
      return run([](Vector a, Vector b) HWY_ATTR { return larger(a, b); });
    case Combine::Minimum:
      return run([](Vector a, Vector b) HWY_ATTR { return smaller(a, b); });
    case Combine::SquaredDifference:
      return run([](Vector a, Vector b) HWY_ATTR {
        const Vector difference = hn::Sub(a, b);
        return hn::Mul(difference, difference);
      });
    case Combine::PRelu:
      return run([](Vector a, Vector slope)
                     HWY_ATTR { return hn::IfThenElse(hn::Lt(a, hn::Zero(Floats())), hn::Mul(a, slope), a); });
  }
}

}  // namespace belay::backend::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace belay::backend::cpu {

HWY_EXPORT(combine_all_of);
void combine_floats(Combine f, Operand x, Operand y, float* z, int64_t rows, int64_t length) {
  if (rows > 0 && length > 0) HWY_DYNAMIC_DISPATCH(combine_all_of)(f, x, y, z, rows, length);
}

}  // namespace belay::backend::cpu
#endif
