// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "backend/cpu/move/strided_copy.h"
#include "backend/cpu/winograd/tiles.h"

namespace belay::backend::cpu::winograd {
namespace {

// The same place in the filters of several outputs. In double, as it is done once.
constexpr int64_t lanes = 2;  // what every x86 has
using Doubles __attribute__((vector_size(lanes * sizeof(double)))) = double;
using Floats __attribute__((vector_size(lanes * sizeof(float)))) = float;

Doubles load(const float* from) {
  Floats floats;
  std::memcpy(&floats, from, sizeof floats);
  return __builtin_convertvector(floats, Doubles);
}

void store(const Doubles& value, float* to) {
  const auto floats = __builtin_convertvector(value, Floats);
  std::memcpy(to, &floats, sizeof floats);
}

// A row or column of three weights at each point.
template <int64_t tile>
std::array<Doubles, tile + 2> turn(const Doubles& a, const Doubles& b, const Doubles& c) {
  if constexpr (tile == 2) {
    return {a, 0.5 * (a + b + c), 0.5 * (a - b + c), c};
  } else {
    // At the point p: a + b p + c p², over the product of the distances to the other points.
    constexpr double p = 0.75, q = 1.5, p2 = p * p, q2 = q * q;
    constexpr double at_0 = 1 / (p2 * q2), at_p = 1 / (2 * p2 * (p2 - q2)), at_q = 1 / (2 * q2 * (q2 - p2));
    const Doubles even_p = a + c * p2, even_q = a + c * q2;
    return {
        a * at_0, (even_p + b * p) * at_p, (even_p - b * p) * at_p, (even_q + b * q) * at_q, (even_q - b * q) * at_q,
        c};
  }
}

// The points of the filters of 3 × 3 of some outputs, whose taps are `step` elements apart; the points `plane`.
template <int64_t tile>
void transform_some(const float* taps, int64_t step, float* to, int64_t plane) {
  std::array<std::array<Doubles, tile + 2>, 3> columns;
  for (int64_t x = 0; x < 3; ++x)
    columns[static_cast<size_t>(x)] =
        turn<tile>(load(taps + x * step), load(taps + (x + 3) * step), load(taps + (x + 6) * step));
  for (size_t y = 0; y < tile + 2; ++y)
    for (const Doubles& value : turn<tile>(columns[0][y], columns[1][y], columns[2][y])) {
      store(value, to);
      to += plane;
    }
}

// The taps of some inputs, each with all outputs of a panel, zeros behind them.
void gather(const panels::Filter& filter, int64_t group, int64_t first, int64_t from, int64_t inputs, int64_t width,
            int64_t pitch, float* to) {
  const bool is_row = filter.along_input == 9 && filter.along[1] == 3 && filter.along[2] == 1;
  if (is_row)
    turn_floats(to, pitch, filter.at(group, first, from), filter.along_output, inputs * 9, width);
  else
    for (int64_t i = 0; i < inputs; ++i)
      for (int64_t t = 0; t < 9; ++t)
        for (int64_t o = 0; o < width; ++o)
          to[(i * 9 + t) * pitch + o] =
              filter.at(group, first + o, from + i)[t / 3 * filter.along[1] + t % 3 * filter.along[2]];
}

}  // namespace

// Some inputs at a time, so that both sides stay in the cache.
template <int64_t tile>
void transform_filter(const panels::Filter& filter, int64_t group, int64_t first, float* u) {
  constexpr int64_t inputs_together = 8, points = (tile + 2) * (tile + 2);
  const int64_t width = panels::width_at(first, filter.outputs), pitch = panels::pitch_of(width);
  static_assert(panels::lane_step % lanes == 0);
  std::vector<float> taps(static_cast<size_t>(inputs_together * 9 * pitch));
  std::vector<float> turned(static_cast<size_t>(points * pitch));  // of one input
  u += points * first * filter.inputs;
  for (int64_t from = 0; from < filter.inputs; from += inputs_together) {
    const int64_t inputs = std::min(inputs_together, filter.inputs - from);
    gather(filter, group, first, from, inputs, width, pitch, taps.data());
    for (int64_t i = 0; i < inputs; ++i) {
      for (int64_t o = 0; o < pitch; o += lanes)
        transform_some<tile>(taps.data() + i * 9 * pitch + o, pitch, turned.data() + o, pitch);
      for (int64_t p = 0; p < points; ++p)  // whole rows: their places are far apart, and share lines of the cache
        std::copy_n(turned.data() + p * pitch, pitch, u + (p * filter.inputs + from + i) * pitch);
    }
  }
}

template void transform_filter<2>(const panels::Filter&, int64_t, int64_t, float*);
template void transform_filter<4>(const panels::Filter&, int64_t, int64_t, float*);

}  // namespace belay::backend::cpu::winograd
