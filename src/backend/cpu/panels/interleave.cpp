// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/simd/targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/panels/interleave.cpp"
#include "hwy/foreach_target.h"  // must come before highway.h
#include "hwy/highway.h"

#include <algorithm>

#include "backend/cpu/panels/interleave.h"

HWY_BEFORE_NAMESPACE();
namespace belay::backend::cpu::panels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

void interleave_all(const float* from, int64_t apart, int64_t channels, int64_t count, float* to) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto load = [&](int64_t c, int64_t i) HWY_ATTR { return hn::LoadU(d, from + c * apart + i); };
  int64_t i = 0;
  if (channels == 2)
    for (; i + lanes <= count; i += lanes) hn::StoreInterleaved2(load(0, i), load(1, i), d, to + 2 * i);
  if (channels == 3)
    for (; i + lanes <= count; i += lanes) hn::StoreInterleaved3(load(0, i), load(1, i), load(2, i), d, to + 3 * i);
  if (channels == 4)
    for (; i + lanes <= count; i += lanes)
      hn::StoreInterleaved4(load(0, i), load(1, i), load(2, i), load(3, i), d, to + 4 * i);
  for (; i < count; ++i)
    for (int64_t c = 0; c < channels; ++c) to[i * channels + c] = from[c * apart + i];
}

}  // namespace belay::backend::cpu::panels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace belay::backend::cpu::panels {

HWY_EXPORT(interleave_all);

void interleave(const float* from, int64_t apart, int64_t channels, int64_t count, float* to) {
  if (channels == 1)
    std::copy_n(from, count, to);
  else
    HWY_DYNAMIC_DISPATCH(interleave_all)(from, apart, channels, count, to);
}

}  // namespace belay::backend::cpu::panels
#endif
