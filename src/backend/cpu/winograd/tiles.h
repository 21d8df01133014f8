// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/cpu/panels/filter.h"
#include "backend/cpu/panels/product.h"

// Convolution with a 3 × 3 filter by Winograd's F(t × t, 3 × 3): a tile of (t + 2) × (t + 2) inputs gives t × t results
// with (t + 2)² products. Everything has the channels last.
//   t = 2: 16 products instead of 36. The transforms multiply by ±1 and ½ only: rounding is that of a plain sum.
//   t = 4: 36 products instead of 144. The points are 0, ±3/4, ±3/2 and infinity, whose numbers floats hold exactly and
//     whose errors are small: about twice those of a plain sum. With ±1 and ±2 they would be five times.
// That is where a tile's inputs are alike; guard.h says what is promised, and finds the tiles where it would not hold.
namespace belay::backend::cpu::winograd {

struct Geometry {
  int64_t tile;                            // results along each side: 2 or 4
  int64_t batch, height, width, inputs;    // of x
  int64_t out_height, out_width, outputs;  // of y
  int64_t pad_top, pad_left;
  int64_t points() const { return (tile + 2) * (tile + 2); }
  int64_t tile_rows() const { return (out_height + tile - 1) / tile; }
  int64_t tile_columns() const { return (out_width + tile - 1) / tile; }
  int64_t tiles() const { return batch * tile_rows() * tile_columns(); }
};

// Of each panel of the filter its points, one after the other. There is one group.
template <int64_t tile>
void transform_filter(const panels::Filter& filter, int64_t group, int64_t first, float* u);

// Tiles [first, first + count) of x, count × inputs for each point; from a point to the next it is `plane` elements.
// `zeros` has `inputs` elements.
void transform_input(const Geometry& g, const float* x, const float* zeros, int64_t first, int64_t count, float* v,
                     int64_t plane);

// m, count × pitch_of(width) for each point, as results of the channels [channel, channel + width), finished. The bias
// is that of all channels; the addend is not y: tiles that break the promise are computed again.
void transform_output(const Geometry& g, const float* m, int64_t plane, int64_t first, int64_t count, int64_t channel,
                      int64_t width, const panels::Finish& how, float* y);

}  // namespace belay::backend::cpu::winograd
