// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace belay::exact {

// What Winograd's way to compute a 3 x 3 convolution may add to the roundings of its sums: results of a tile share
// them. docs/precision-bounds.md has the formula, backend/cpu/winograd/guard.h the promise that ours keeps.

struct TileImage {
  const double* x;
  std::array<int64_t, 4> step, size;  // batch, channel, row, column
  std::array<int64_t, 2> pad;         // above and to the left
};
// Of one output channel.
struct FilterSize {
  double sum = 0;    // of its weights' magnitudes
  double share = 0;  // the largest part of it that belongs to one input channel
};
struct TileResult {
  double* units;
  std::array<int64_t, 4> step, size;
};

// Raises the units of each result to what a tile may cost, where that is more.
void add_tile_units(const TileImage& image, const std::vector<FilterSize>& filters, const TileResult& result);

}  // namespace belay::exact
