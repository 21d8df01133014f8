// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/cpu/panels/finish.h"

// Products of float matrices whose right side was packed once: in panels of columns, each row-major by itself.
namespace belay::backend::cpu::panels {

constexpr int64_t panel_width = 64;  // the last panel may be narrower
constexpr int64_t lane_step = 16;    // from a row of a panel to the next it is a multiple of this

// From a row of a panel to the next; what is more than the width is zeros.
inline int64_t pitch_of(int64_t width) { return (width + lane_step - 1) / lane_step * lane_step; }

constexpr int64_t row_step = 6;  // rows that are computed at a time

// Rows [begin_of(part), begin_of(part + 1)) are one of `parts` that are about equal, and multiples of row_step but for
// the last.
inline int64_t begin_of(int64_t part, int64_t parts, int64_t rows) {
  return part == parts ? rows : rows * part / parts / row_step * row_step;
}
inline int64_t longest_part(int64_t parts, int64_t rows) { return (rows + parts - 1) / parts + row_step; }

inline int64_t width_at(int64_t column, int64_t columns) {
  return columns - column < panel_width ? columns - column : panel_width;
}

// The left side. A row lies in pieces of equal length, wherever they are: piece p of row r is at[p * apart + r].
struct LeftSide {
  const float* const* at;
  int64_t apart, count, pieces;
  int64_t depth;     // elements of a piece
  int64_t skip = 0;  // that many elements lie before each piece
};

// y = rows · panel, finished. Any width up to panel_width. Rows of y and of the addend are `stride` elements apart.
// `sums` has room for rows × pitch_of(width) floats; it may be y when nothing follows and the stride, the pitch and the
// width are one. Rows of a panel that nobody packed are `step` elements apart; its width is a multiple of lane_step.
void multiply(const LeftSide& rows, const float* panel, int64_t width, const Finish& how, float* sums, float* y,
              int64_t stride, int64_t step = 0);

}  // namespace belay::backend::cpu::panels
