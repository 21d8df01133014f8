// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/simd/targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/simd/find_beyond.cpp"
#include "hwy/foreach_target.h"  // must come before highway.h
#include "hwy/highway.h"

#include "backend/cpu/simd/find_beyond.h"

HWY_BEFORE_NAMESPACE();
namespace belay::backend::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <bool above>
size_t find(const float* x, size_t count, float limit) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  const auto most = hn::Set(d, limit);
  const auto within = [&](const float* at) HWY_ATTR {
    const auto value = hn::LoadU(d, at);
    return above ? hn::Le(value, most) : hn::Ge(value, most);
  };
  size_t i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    const auto all = hn::And(hn::And(within(x + i), within(x + i + lanes)),
                             hn::And(within(x + i + 2 * lanes), within(x + i + 3 * lanes)));
    if (!hn::AllTrue(d, all)) break;
  }
  while (i < count && (above ? x[i] <= limit : x[i] >= limit)) ++i;
  return i;
}

size_t find_above(const float* x, size_t count, float limit) { return find<true>(x, count, limit); }
size_t find_below(const float* x, size_t count, float limit) { return find<false>(x, count, limit); }

}  // namespace belay::backend::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace belay::backend::cpu {

HWY_EXPORT(find_above);
HWY_EXPORT(find_below);
size_t find_beyond(bool above, const float* x, size_t count, float limit) {
  return above ? HWY_DYNAMIC_DISPATCH(find_above)(x, count, limit) : HWY_DYNAMIC_DISPATCH(find_below)(x, count, limit);
}

}  // namespace belay::backend::cpu
#endif
