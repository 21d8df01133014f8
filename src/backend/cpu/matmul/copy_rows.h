// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace belay::backend::cpu::matmul {

// to[i * pitch + j] = from[i * from_row + j] for j below `columns`, and 0 from there to the pitch, which is a multiple
// of panels::lane_step.
void copy_rows(const float* from, int64_t from_row, int64_t rows, int64_t columns, float* to, int64_t pitch);

}  // namespace belay::backend::cpu::matmul
