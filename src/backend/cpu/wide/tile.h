// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace belay::backend::cpu::wide {

constexpr int64_t tile_rows = 6;
constexpr int64_t most_columns = 32;  // of a tile, on any processor

// Packed sides, as long as `depth`: left[k * tile_rows + r], right[k * columns + c]. The sums are added to y and,
// unless it is null, the magnitudes of the sums' blocks to `partial`; both are [tile_rows][columns].
struct Tile {
  const double *left, *right;
  int64_t depth;
  double *y, *partial;
};

// Columns that a tile has on this processor.
int64_t tile_columns();
void multiply_tile(const Tile& tile);

}  // namespace belay::backend::cpu::wide
