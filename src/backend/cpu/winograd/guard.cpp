// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/simd/targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/winograd/guard.cpp"
#include "hwy/foreach_target.h"  // must come before highway.h
#include "hwy/highway.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "backend/cpu/panels/vector-inl.h"
#include "backend/cpu/winograd/guard.h"

HWY_BEFORE_NAMESPACE();
namespace belay::backend::cpu::winograd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using namespace panels::HWY_NAMESPACE;

// Of the channels of a pixel. A NaN shows in the sum.
struct Magnitudes {
  float sum = 0, largest = 0;
};

HWY_INLINE Magnitudes measure_pixel(const float* pixel, int64_t channels) {
  const Floats d;
  Vector sum = hn::Zero(d), largest = sum;
  for (int64_t c = 0; c < channels; c += static_cast<int64_t>(hn::Lanes(d))) {
    const Vector magnitude = hn::Abs(load_columns(pixel + c, channels - c));
    sum = hn::Add(sum, magnitude);
    largest = hn::Max(largest, magnitude);
  }
  return {hn::GetLane(hn::SumOfLanes(d, sum)), hn::GetLane(hn::MaxOfLanes(d, largest))};
}

// The pixels that a tile sees; outside of the image they are zeros.
template <int64_t tile>
struct Seen {
  static constexpr int64_t side = tile + 2;
  Magnitudes pixels[side][side];  // by column, then row
  int64_t row, column;            // of the first one in the image

  HWY_INLINE void measure(const Geometry& g, const float* image, int64_t first_column) {
    for (int64_t j = first_column; j < side; ++j)
      for (int64_t i = 0; i < side; ++i) {
        const int64_t y = row + i, x = column + j;
        const bool inside = y >= 0 && y < g.height && x >= 0 && x < g.width;
        pixels[j][i] = inside ? measure_pixel(image + (y * g.width + x) * g.inputs, g.inputs) : Magnitudes{};
      }
  }
  // The tile's neighbour on the right sees two columns of it.
  void move_right() {
    std::copy_n(&pixels[tile][0], 2 * side, &pixels[0][0]);
    column += tile;
  }

  float window_sum(int64_t i, int64_t j) const {
    float sum = 0;
    for (int64_t x = j; x < j + 3; ++x)
      for (int64_t y = i; y < i + 3; ++y) sum += pixels[x][y].sum;
    return sum;
  }
};

HWY_INLINE int64_t inside_of(int64_t first, int64_t size) {
  return std::max<int64_t>(std::min(first + 3, size) - std::max<int64_t>(first, 0), 0);
}

// The smallest mean of the sums of the pixels that a result of the tile sees.
template <int64_t tile>
HWY_INLINE float smallest_mean(const Geometry& g, const Seen<tile>& seen) {
  const int64_t rows = std::min(tile, g.out_height - (seen.row + g.pad_top));
  const int64_t columns = std::min(tile, g.out_width - (seen.column + g.pad_left));
  float least = 0x1p127f;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      const int64_t pixels = inside_of(seen.row + i, g.height) * inside_of(seen.column + j, g.width);
      const float mean = seen.window_sum(i, j) / static_cast<float>(std::max<int64_t>(pixels, 1));
      if (!(mean >= least)) least = mean;
    }
  return least;
}

template <int64_t tile>
HWY_INLINE bool keeps(const Geometry& g, const Trust& trust, const Seen<tile>& seen) {
  Magnitudes most;
  for (const auto& column : seen.pixels)
    for (const Magnitudes& pixel : column) {
      if (!(pixel.sum <= largest_input)) return false;
      most = {std::max(most.sum, pixel.sum), std::max(most.largest, pixel.largest)};
    }
  return smallest_mean(g, seen) >= trust.least_mean(most.sum, most.largest);
}

template <int64_t tile>
void judge_of(const Geometry& g, const Trust& trust, const float* x, int64_t first, int64_t count, bool* tame) {
  Seen<tile> seen;
  for (int64_t t = 0; t < count; ++t) {
    const int64_t at = (first + t) % g.tile_columns(), row = (first + t) / g.tile_columns();
    const bool follows = t > 0 && at > 0;
    if (follows)
      seen.move_right();
    else
      seen.row = row % g.tile_rows() * tile - g.pad_top, seen.column = at * tile - g.pad_left;
    seen.measure(g, x + row / g.tile_rows() * g.height * g.width * g.inputs, follows ? 2 : 0);
    tame[t] = keeps(g, trust, seen);
  }
}

void judge_all(const Geometry& g, const Trust& trust, const float* x, int64_t first, int64_t count, bool* tame) {
  return g.tile == 2 ? judge_of<2>(g, trust, x, first, count, tame) : judge_of<4>(g, trust, x, first, count, tame);
}

}  // namespace belay::backend::cpu::winograd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace belay::backend::cpu::winograd {

HWY_EXPORT(judge_all);

namespace {

// The sums of the weights of some channels, side by side: one sum waits for each of its terms.
constexpr int64_t channels_together = 4;
using Sums = std::array<double, channels_together>;
Sums sums_of(const panels::Filter& filter, int64_t output, int64_t first) {
  Sums sums = {};
  for (int64_t k = 0; k < 9; ++k) {
    const float* tap = filter.at(0, output, first) + k / 3 * filter.along[1] + k % 3 * filter.along[2];
    for (size_t c = 0; c < sums.size(); ++c) sums[c] += std::fabs(tap[static_cast<int64_t>(c) * filter.along_input]);
  }
  return sums;
}

float share_of(const panels::Filter& filter) {
  double share = 0;
  for (int64_t o = 0; o < filter.outputs; ++o) {
    double all = 0, most = 0;
    const auto add = [&](double channel) {
      all += channel;
      most = std::max(most, channel);
    };
    int64_t i = 0;
    for (; i + channels_together <= filter.inputs; i += channels_together)
      for (const double channel : sums_of(filter, o, i)) add(channel);
    for (; i < filter.inputs; ++i) {
      double channel = 0;
      for (int64_t k = 0; k < 9; ++k)
        channel += std::fabs(filter.at(0, o, i)[k / 3 * filter.along[1] + k % 3 * filter.along[2]]);
      add(channel);
    }
    if (all > 0) share = std::max(share, most / all);
  }
  return static_cast<float>(share);
}

}  // namespace

Trust::Trust(const Geometry& g, const panels::Filter& filter)
    : errors((g.tile == 2 ? 32.0f : 100.0f) / 18 * (1 + std::sqrt(static_cast<float>(g.inputs)) / 8)),
      share(share_of(filter)) {}

float Trust::least_mean(float sum, float largest) const {
  return errors * std::sqrt(share * largest) * std::sqrt(std::min(largest, share * sum));
}

bool Trust::suffices(int64_t inputs) const {
  const auto sum = static_cast<float>(inputs);
  return sum / 3 >= least_mean(sum, 5);
}

void judge(const Geometry& g, const Trust& trust, const float* x, int64_t first, int64_t count, bool* tame) {
  HWY_DYNAMIC_DISPATCH(judge_all)(g, trust, x, first, count, tame);
}

}  // namespace belay::backend::cpu::winograd
#endif
