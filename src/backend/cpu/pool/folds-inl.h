// SPDX-License-Identifier: Apache-2.0
// What a window makes of the vectors that it sees, compiled for each instruction set. While it looks it has two of its
// own: the fold so far, and a watch for NaN.
#if defined(BELAY_POOL_FOLDS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef BELAY_POOL_FOLDS_INL
#undef BELAY_POOL_FOLDS_INL
#else
#define BELAY_POOL_FOLDS_INL
#endif

#include <limits>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace belay::backend::cpu::pool::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Floats = hn::ScalableTag<float>;
using Vector = hn::Vec<Floats>;

// The largest of numbers that are known to have no NaN among them.
struct LargestNumber {
  using OfFolded = LargestNumber;  // what goes on with folds of rows
  static constexpr float nothing = -std::numeric_limits<float>::infinity();
  static HWY_INLINE void add(Vector next, Vector& fold, Vector& /*watch*/) { fold = hn::Max(next, fold); }
  static HWY_INLINE Vector value(Vector fold, Vector /*watch*/) { return fold; }
  // At one place of y, and at places side by side.
  static HWY_INLINE Vector finish(Vector value, float, const float*, int64_t) { return value; }
  static HWY_INLINE Vector finish_all(Vector value, float, const float*, int64_t) { return value; }
};

// The same with a watch that becomes NaN where one may have been overlooked: infinities do it, too.
struct WatchedLargest : LargestNumber {
  static HWY_INLINE void add(Vector next, Vector& fold, Vector& watch) {
    fold = hn::Max(next, fold);
    watch = hn::MulAdd(next, hn::Zero(Floats()), watch);
  }
};

// A NaN is larger than anything, whatever the processor's maximum does with it.
struct Largest : LargestNumber {
  using OfFolded = Largest;
  static HWY_INLINE void add(Vector next, Vector& fold, Vector& watch) {
    fold = hn::Max(next, fold);
    watch = hn::IfThenElse(hn::IsNaN(next), next, watch);
  }
  static HWY_INLINE Vector value(Vector fold, Vector watch) { return hn::IfThenElse(hn::IsNaN(watch), watch, fold); }
};

struct Average {
  using OfFolded = Average;
  static constexpr float nothing = 0;
  static HWY_INLINE void add(Vector next, Vector& fold, Vector& /*watch*/) { fold = hn::Add(fold, next); }
  static HWY_INLINE Vector value(Vector fold, Vector /*watch*/) { return fold; }
  static HWY_INLINE Vector finish(Vector value, float divisor, const float* by, int64_t place) {
    const float all = divisor * by[place];
    return divide(value, hn::Set(Floats(), all), hn::Set(Floats(), 1 / all));
  }
  static HWY_INLINE Vector finish_all(Vector value, float divisor, const float* by, int64_t place) {
    const Floats d;
    const Vector all = hn::Mul(hn::Set(d, divisor), hn::LoadU(d, by + place));
    return hn::Div(value, all);
  }
  // A product with the reciprocal, and what that lacks of the quotient: quicker than a division, and as exact.
  static HWY_INLINE Vector divide(Vector x, Vector y, Vector reciprocal) {
    const Vector near = hn::Mul(x, reciprocal);
    const Vector exact = hn::MulAdd(hn::NegMulAdd(near, y, x), reciprocal, near);
    return hn::IfThenElse(hn::IsNaN(exact), near, exact);  // infinities lack a NaN
  }
};

}  // namespace belay::backend::cpu::pool::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
