// SPDX-License-Identifier: Apache-2.0
// A few vectors side by side, compiled for each instruction set.
#if defined(BELAY_SIMD_STRETCH_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef BELAY_SIMD_STRETCH_INL
#undef BELAY_SIMD_STRETCH_INL
#else
#define BELAY_SIMD_STRETCH_INL
#endif

#include <cstdint>

#include "hwy/highway.h"

#undef BELAY_INLINE_LAMBDA
#define BELAY_INLINE_LAMBDA HWY_ATTR __attribute__((always_inline))

HWY_BEFORE_NAMESPACE();
namespace belay::backend::cpu::HWY_NAMESPACE {

// `n` vectors, of which the last may be cut short.
template <size_t n, bool cut>
struct Stretch {
  using D = hwy::HWY_NAMESPACE::ScalableTag<float>;
  using V = hwy::HWY_NAMESPACE::Vec<D>;
  hwy::HWY_NAMESPACE::Mask<D> rest;  // of the last
  HWY_INLINE V load(const float* from, size_t j) const {
    const float* at = from + j * hwy::HWY_NAMESPACE::Lanes(D());
    return cut && j + 1 == n ? hwy::HWY_NAMESPACE::MaskedLoad(rest, D(), at) : hwy::HWY_NAMESPACE::LoadU(D(), at);
  }
  HWY_INLINE void store(V value, float* to, size_t j) const {
    float* at = to + j * hwy::HWY_NAMESPACE::Lanes(D());
    if (cut && j + 1 == n)
      hwy::HWY_NAMESPACE::BlendedStore(value, rest, D(), at);
    else
      hwy::HWY_NAMESPACE::StoreU(value, D(), at);
  }
};

// Calls f(first element, stretch) for `count` elements, up to `most` vectors at a time (2 or 4); the sum of what it
// returns.
template <size_t most, class F>
HWY_INLINE hwy::HWY_NAMESPACE::Vec<hwy::HWY_NAMESPACE::ScalableTag<float>> for_stretches(int64_t count, const F& f) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d)), whole = static_cast<int64_t>(most) * lanes;
  const auto none = hn::FirstN(d, 0);
  auto sum = hn::Zero(d);
  int64_t i = 0;
  for (; i + whole <= count; i += whole) sum = hn::Add(sum, f(i, Stretch<most, false>{none}));
  const int64_t left = count - i;
  if (left == 0) return sum;
  const auto rest = hn::FirstN(d, static_cast<size_t>(left % lanes));
  if (left < lanes) return hn::Add(sum, f(i, Stretch<1, true>{rest}));
  if (left == lanes) return hn::Add(sum, f(i, Stretch<1, false>{none}));
  if (left < 2 * lanes) return hn::Add(sum, f(i, Stretch<2, true>{rest}));
  if constexpr (most > 2) {
    if (left == 2 * lanes) return hn::Add(sum, f(i, Stretch<2, false>{none}));
    if (left < 3 * lanes) return hn::Add(sum, f(i, Stretch<3, true>{rest}));
    if (left == 3 * lanes) return hn::Add(sum, f(i, Stretch<3, false>{none}));
    return hn::Add(sum, f(i, Stretch<4, true>{rest}));
  }
  return sum;
}

}  // namespace belay::backend::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
