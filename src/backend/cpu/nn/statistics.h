// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

namespace belay::backend::cpu {

struct Moments {
  double mean = 0, variance = 0;
};

// Mean and variance (over the count) of member(0) ... member(count - 1), in two passes.
template <class Member>
Moments moments_of(int64_t count, const Member& member) {
  Moments m;
  for (int64_t i = 0; i < count; ++i) m.mean += static_cast<double>(member(i));
  m.mean /= static_cast<double>(count);
  for (int64_t i = 0; i < count; ++i) {
    const double off = static_cast<double>(member(i)) - m.mean;
    m.variance += off * off;
  }
  m.variance /= static_cast<double>(count);
  return m;
}

}  // namespace belay::backend::cpu
