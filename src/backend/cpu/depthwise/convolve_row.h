// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/cpu/panels/finish.h"

// Convolutions of each channel by itself, channels side by side.
namespace belay::backend::cpu::depthwise {

// A filter along a row of x, which has `width` places, `apart` elements from each other; y has `out_width`.
struct Along {
  int64_t width, out_width, apart;
  int64_t kernel, stride, dilation, pad;
};

// A row of x and the row of the filter that meets it.
struct SeenRow {
  const float *x, *weights;  // of the first channel
};

// A row of y, some channels of it. The weights of a tap, and the places of y and the addend, are `pitch` elements
// apart.
struct Strip {
  std::span<const SeenRow> rows;
  int64_t channels, pitch;
  panels::Finish how;
  float* y;
};

// What lies outside of x adds nothing.
void convolve_row(const Along& along, const Strip& strip);

}  // namespace belay::backend::cpu::depthwise
