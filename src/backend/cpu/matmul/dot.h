// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace belay::backend::cpu::matmul {

constexpr int64_t most_dot_rows = 4;

// y[r * y_row + j] = the sum of left[r * left_row + k] * right[j * right_row + k] over k below depth: for rows where
// packing one side would cost more than it saves. `rows` is at most most_dot_rows.
struct DotSides {
  const float* left;
  int64_t left_row, rows;
  const float* right;
  int64_t right_row, columns;
  int64_t depth;
};
void multiply_by_dots(const DotSides& sides, float* y, int64_t y_row);

}  // namespace belay::backend::cpu::matmul
