// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "backend/cpu/panels/product.h"

// The right side of a product of float matrices, in the panels that panels::multiply takes.
namespace belay::backend::cpu::matmul {

// A matrix anywhere in memory, by the steps between its elements.
struct Grid {
  const float* data;
  int64_t row, column;
};

inline int64_t panels_of(int64_t columns) { return (columns + panels::panel_width - 1) / panels::panel_width; }
// Floats of all panels of a matrix. The panel from column c on begins at c * depth.
inline int64_t packed_size(int64_t depth, int64_t columns) { return depth * panels::pitch_of(columns); }

// Writes the panel of `columns` columns, at most panel_width, that begins at `b`.
void pack_panel(const Grid& b, int64_t depth, int64_t columns, float* to);

// Whether a matrix in memory is a panel by itself.
inline bool is_panel(const Grid& b, int64_t columns) {
  return columns <= panels::panel_width && columns % panels::lane_step == 0 && b.column == 1 && b.row == columns;
}

}  // namespace belay::backend::cpu::matmul
