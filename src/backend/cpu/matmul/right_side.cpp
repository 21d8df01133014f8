// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/matmul/right_side.h"

#include "backend/cpu/matmul/copy_rows.h"
#include "backend/cpu/move/strided_copy.h"

namespace belay::backend::cpu::matmul {

void pack_panel(const Grid& b, int64_t depth, int64_t columns, float* to) {
  const int64_t width = panels::pitch_of(columns);
  if (b.column == 1) return copy_rows(b.data, b.row, depth, columns, to, width);
  if (b.row == 1)
    turn_floats(to, width, b.data, b.column, depth, columns);
  else
    for (int64_t k = 0; k < depth; ++k)
      for (int64_t j = 0; j < columns; ++j) to[k * width + j] = b.data[k * b.row + j * b.column];
  if (columns < width)
    for (int64_t k = 0; k < depth; ++k) std::fill(to + k * width + columns, to + (k + 1) * width, 0.0f);
}

}  // namespace belay::backend::cpu::matmul
