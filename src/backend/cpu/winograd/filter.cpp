// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "backend/cpu/winograd/tiles.h"

namespace belay::backend::cpu::winograd {
namespace {

// A row or column of three weights at each point. In double, as it is done once.
template <int64_t tile>
std::array<double, tile + 2> turn(double a, double b, double c) {
  if constexpr (tile == 2) {
    return {a, 0.5 * (a + b + c), 0.5 * (a - b + c), c};
  } else {
    // At the point p: a + b p + c p², over the product of the distances to the other points.
    constexpr double p = 0.75, q = 1.5, p2 = p * p, q2 = q * q;
    constexpr double at_p = 2 * p2 * (p2 - q2), at_q = 2 * q2 * (q2 - p2);
    return {a / (p2 * q2),
            (a + b * p + c * p2) / at_p,
            (a - b * p + c * p2) / at_p,
            (a + b * q + c * q2) / at_q,
            (a - b * q + c * q2) / at_q,
            c};
  }
}

// The points of one filter of 3 × 3, `plane` elements apart.
template <int64_t tile>
void transform_one(const panels::Filter& filter, const float* weights, float* to, int64_t plane) {
  std::array<std::array<double, tile + 2>, 3> columns;
  for (size_t x = 0; x < 3; ++x) {
    const float* w = weights + static_cast<int64_t>(x) * filter.along[2];
    columns[x] = turn<tile>(w[0], w[filter.along[1]], w[2 * filter.along[1]]);
  }
  for (size_t y = 0; y < tile + 2; ++y)
    for (const double value : turn<tile>(columns[0][y], columns[1][y], columns[2][y])) {
      *to = static_cast<float>(value);
      to += plane;
    }
}

}  // namespace

// Some inputs at a time, so that both sides stay in the cache.
template <int64_t tile>
void transform_filter(const panels::Filter& filter, int64_t group, int64_t first, float* u) {
  constexpr int64_t inputs_together = 8, points = (tile + 2) * (tile + 2);
  const int64_t width = panels::width_at(first, filter.outputs), pitch = panels::pitch_of(width);
  u += points * first * filter.inputs;
  for (int64_t k = 0; k < points * filter.inputs && pitch > width; ++k)
    std::fill_n(u + k * pitch + width, pitch - width, 0.0f);
  for (int64_t from = 0; from < filter.inputs; from += inputs_together)
    for (int64_t o = 0; o < width; ++o)
      for (int64_t i = from; i < std::min(from + inputs_together, filter.inputs); ++i)
        transform_one<tile>(filter, filter.at(group, first + o, i), u + i * pitch + o, filter.inputs * pitch);
}

template void transform_filter<2>(const panels::Filter&, int64_t, int64_t, float*);
template void transform_filter<4>(const panels::Filter&, int64_t, int64_t, float*);

}  // namespace belay::backend::cpu::winograd
