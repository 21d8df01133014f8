// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/winograd/tiles.h"

namespace belay::backend::cpu::winograd {
namespace {

void turn(float a, float b, float c, float* to, int64_t step) {
  to[0] = a;
  to[step] = 0.5f * (a + b + c);
  to[2 * step] = 0.5f * (a - b + c);
  to[3 * step] = c;
}

}  // namespace

void transform_filter(const panels::Filter& filter, int64_t first, float* u) {
  const int64_t width = panels::width_at(first, filter.outputs);
  for (int64_t i = 0; i < filter.inputs; ++i)
    for (int64_t o = 0; o < width; ++o) {
      const float* weights = filter.at(first + o, i);
      float half[4][3], all[4][4];
      for (int64_t x = 0; x < 3; ++x) {
        const float* column = weights + x * filter.along_x;
        turn(column[0], column[filter.along_y], column[2 * filter.along_y], &half[0][x], 3);
      }
      for (int64_t y = 0; y < 4; ++y) turn(half[y][0], half[y][1], half[y][2], all[y], 1);
      float* place = u + points * first * filter.inputs + i * width + o;
      for (int64_t p = 0; p < points; ++p) place[p * filter.inputs * width] = all[p / 4][p % 4];
    }
}

}  // namespace belay::backend::cpu::winograd
