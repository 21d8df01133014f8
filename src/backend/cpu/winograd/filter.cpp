// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "backend/cpu/winograd/tiles.h"

namespace belay::backend::cpu::winograd {
namespace {

void turn(float a, float b, float c, float* to, int64_t step) {
  to[0] = a;
  to[step] = 0.5f * (a + b + c);
  to[2 * step] = 0.5f * (a - b + c);
  to[3 * step] = c;
}

// The points of one filter of 3 × 3, `plane` elements apart.
void transform_one(const panels::Filter& filter, const float* weights, float* to, int64_t plane) {
  float half[4][3], all[4][4];
  for (int64_t x = 0; x < 3; ++x) {
    const float* column = weights + x * filter.along[2];
    turn(column[0], column[filter.along[1]], column[2 * filter.along[1]], &half[0][x], 3);
  }
  for (int64_t y = 0; y < 4; ++y) turn(half[y][0], half[y][1], half[y][2], all[y], 1);
  for (int64_t p = 0; p < points; ++p) to[p * plane] = all[p / 4][p % 4];
}

}  // namespace

// Some inputs at a time, so that both sides stay in the cache.
void transform_filter(const panels::Filter& filter, int64_t group, int64_t first, float* u) {
  constexpr int64_t inputs_together = 8;
  const int64_t width = panels::width_at(first, filter.outputs), pitch = panels::pitch_of(width);
  u += points * first * filter.inputs;
  for (int64_t k = 0; k < points * filter.inputs && pitch > width; ++k)
    std::fill_n(u + k * pitch + width, pitch - width, 0.0f);
  for (int64_t from = 0; from < filter.inputs; from += inputs_together)
    for (int64_t o = 0; o < width; ++o)
      for (int64_t i = from; i < std::min(from + inputs_together, filter.inputs); ++i)
        transform_one(filter, filter.at(group, first + o, i), u + i * pitch + o, filter.inputs * pitch);
}

}  // namespace belay::backend::cpu::winograd
