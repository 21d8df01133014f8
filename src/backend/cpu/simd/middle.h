// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace belay::backend::cpu {

// A tensor as outer × length × inner with the reduced dimensions in the middle.
struct Middle {
  int64_t outer, length, inner;
};

// y[o, i] = the sum of x[o, l, i] over l. There is at least one element.
void sum_middle(const Middle& middle, const float* x, float* y);

}  // namespace belay::backend::cpu
