// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>

#include "backend/cpu/quant/parameter.h"

namespace belay::backend::cpu {

// A row as INT8 with a scale of its own: its largest magnitude is 127. The scale; 0 for a row of zeros.
inline float quantise_row(const float* row, int64_t count, int8_t* to) {
  float most = 0;
  for (int64_t i = 0; i < count; ++i) most = std::max(most, std::abs(row[i]));
  const float scale = most * (1.0f / 127.0f);
  for (int64_t i = 0; i < count; ++i) to[i] = scale > 0 ? saturated<int8_t>(nearest_whole(row[i] / scale)) : int8_t{0};
  return scale;
}

}  // namespace belay::backend::cpu
