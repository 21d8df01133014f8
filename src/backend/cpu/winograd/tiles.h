// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/cpu/panels/filter.h"
#include "backend/cpu/panels/product.h"

// Convolution with a 3 × 3 filter by Winograd's F(2 × 2, 3 × 3): a tile of 4 × 4 inputs gives 2 × 2 results with 16
// products instead of 36. The transforms multiply by ±1 and ½ only, so that rounding stays that of a plain sum.
// Everything has the channels last.
namespace belay::backend::cpu::winograd {

constexpr int64_t points = 16;  // of a transformed tile

struct Geometry {
  int64_t batch, height, width, inputs;    // of x
  int64_t out_height, out_width, outputs;  // of y
  int64_t pad_top, pad_left;
  int64_t tile_rows() const { return (out_height + 1) / 2; }
  int64_t tile_columns() const { return (out_width + 1) / 2; }
  int64_t tiles() const { return batch * tile_rows() * tile_columns(); }
};

// Of each panel of the filter its points, one after the other. There is one group.
void transform_filter(const panels::Filter& filter, int64_t group, int64_t first, float* u);

// Tiles [first, first + count) of x, count × inputs for each point; from a point to the next it is `plane` elements.
// `zeros` has `inputs` elements. Returns the largest magnitude met, a NaN's above all others.
float transform_input(const Geometry& g, const float* x, const float* zeros, int64_t first, int64_t count, float* v,
                      int64_t plane);

// m, count × pitch_of(width) for each point, as results of the channels [channel, channel + width), finished. The bias
// is that of all channels; the addend is not y: when an input is too large, all is computed again.
void transform_output(const Geometry& g, const float* m, int64_t plane, int64_t first, int64_t count, int64_t channel,
                      int64_t width, const panels::Finish& how, float* y);

}  // namespace belay::backend::cpu::winograd
