// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// Products of float matrices whose right side was packed once: in panels of columns, each row-major by itself.
namespace belay::backend::cpu::panels {

constexpr int64_t panel_width = 64;  // the last panel may be narrower
constexpr int64_t lane_step = 16;    // a panel's width is a multiple of this

inline int64_t width_at(int64_t column, int64_t columns) {
  return columns - column < panel_width ? columns - column : panel_width;
}

// m (rows × width) = a · panel. Rows of `a` are `stride` elements apart.
void multiply(const float* a, int64_t stride, const float* panel, int64_t rows, int64_t depth, int64_t width, float* m);

// What follows a product. Null: nothing is added.
struct Finish {
  const float* bias = nullptr;    // an element for each column
  const float* addend = nullptr;  // laid out as y; may be y itself
  bool relu = false;              // keeps NaN
};
// Rows of y are `stride` elements apart; it begins, as bias and addend do, with the panel's first column.
void finish(const float* m, int64_t rows, int64_t width, const Finish& how, float* y, int64_t stride);

}  // namespace belay::backend::cpu::panels
