// SPDX-License-Identifier: Apache-2.0
// The vectors of the kernels that compute in panels, compiled for each instruction set.
#if defined(BELAY_PANELS_VECTOR_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef BELAY_PANELS_VECTOR_INL
#undef BELAY_PANELS_VECTOR_INL
#else
#define BELAY_PANELS_VECTOR_INL
#endif

#include "backend/cpu/panels/product.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace belay::backend::cpu::panels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Floats = hn::CappedTag<float, lane_step>;
using Vector = hn::Vec<Floats>;

// Limits in registers. A NaN stays.
template <class Tag>
struct VectorLimits {
  HWY_INLINE explicit VectorLimits(const Limits& limits)
      : low(hn::Set(Tag(), limits.low)), high(hn::Set(Tag(), limits.high)) {}
  HWY_INLINE hn::Vec<Tag> operator()(hn::Vec<Tag> x) const {
    x = hn::IfThenElse(hn::Lt(x, low), low, x);
    return hn::IfThenElse(hn::Lt(high, x), high, x);
  }
  hn::Vec<Tag> low, high;
};

// Some columns of a row, with a mask where they do not fill a vector.
HWY_INLINE Vector load_columns(const float* from, int64_t columns) {
  const Floats d;
  if (columns >= static_cast<int64_t>(hn::Lanes(d))) return hn::LoadU(d, from);
  return hn::MaskedLoad(hn::FirstN(d, static_cast<size_t>(columns)), d, from);
}
HWY_INLINE void store_columns(Vector value, float* to, int64_t columns) {
  const Floats d;
  if (columns >= static_cast<int64_t>(hn::Lanes(d)))
    hn::StoreU(value, d, to);
  else
    hn::BlendedStore(value, hn::FirstN(d, static_cast<size_t>(columns)), d, to);
}

}  // namespace belay::backend::cpu::panels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
