// SPDX-License-Identifier: Apache-2.0
#include "exact/products/tiles.h"

#include <algorithm>
#include <cmath>

#include "base/threads/parallel.h"

namespace belay::exact {
namespace {

constexpr int64_t reach = 5;   // an output and the farthest input of a tile of 4 x 4 results with it
constexpr double cost = 100;   // of one channel, in units: above all that could be provoked
constexpr double promise = 2;  // units of (inputs in the window) x (weights), kept by falling back to plain sums
constexpr double least = 0x1p-40;

// Of each pixel, padding as zeros: the sum and the largest of its channels' magnitudes.
struct Pixels {
  int64_t height, width;
  std::vector<double> sum, most;
};

Pixels pixels_of(const TileImage& image, int64_t n) {
  const auto [batch, channels, height, width] = image.size;
  Pixels made{height, width, std::vector<double>(static_cast<size_t>(height * width)), {}};
  made.most = made.sum;
  for (int64_t c = 0; c < channels; ++c)
    for (int64_t i = 0; i < height * width; ++i) {
      const double value = std::fabs(
          image.x[n * image.step[0] + c * image.step[1] + i / width * image.step[2] + i % width * image.step[3]]);
      made.sum[static_cast<size_t>(i)] += value;
      made.most[static_cast<size_t>(i)] = std::max(made.most[static_cast<size_t>(i)], value);
    }
  return made;
}

// The largest within `reach`, one dimension after the other.
std::vector<double> spread(const std::vector<double>& from, int64_t height, int64_t width) {
  std::vector<double> rows(from.size()), made(from.size());
  for (int64_t y = 0; y < height; ++y)
    for (int64_t x = 0; x < width; ++x) {
      const auto first = from.begin() + y * width + std::max<int64_t>(0, x - reach);
      const auto last = from.begin() + y * width + std::min(width, x + reach + 1);
      rows[static_cast<size_t>(y * width + x)] = *std::max_element(first, last);
    }
  for (int64_t y = 0; y < height; ++y)
    for (int64_t x = 0; x < width; ++x) {
      double& most = made[static_cast<size_t>(y * width + x)];
      for (int64_t k = std::max<int64_t>(0, y - reach); k < std::min(height, y + reach + 1); ++k)
        most = std::max(most, rows[static_cast<size_t>(k * width + x)]);
    }
  return made;
}

double window_sum(const Pixels& pixels, int64_t top, int64_t left) {
  double sum = 0;
  for (int64_t y = std::max<int64_t>(0, top); y < std::min(pixels.height, top + 3); ++y)
    for (int64_t x = std::max<int64_t>(0, left); x < std::min(pixels.width, left + 3); ++x)
      sum += pixels.sum[static_cast<size_t>(y * pixels.width + x)];
  return sum;
}

}  // namespace

void add_tile_units(const TileImage& image, const std::vector<FilterSize>& filters, const TileResult& result) {
  const auto channels = static_cast<double>(image.size[1]);
  const double factor = cost * (1 + std::sqrt(channels) / 8);
  for (int64_t n = 0; n < result.size[0]; ++n) {
    const Pixels pixels = pixels_of(image, n);
    const auto sums = spread(pixels.sum, pixels.height, pixels.width),
               mosts = spread(pixels.most, pixels.height, pixels.width);
    parallel_for(result.size[2] * result.size[3], 64, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t y = i / result.size[3], x = i % result.size[3];
        const auto near =
            static_cast<size_t>(std::clamp<int64_t>(y - image.pad[0] + 1, 0, pixels.height - 1) * pixels.width +
                                std::clamp<int64_t>(x - image.pad[1] + 1, 0, pixels.width - 1));
        const double window = window_sum(pixels, y - image.pad[0], x - image.pad[1]) + 9 * channels * least;
        for (size_t o = 0; o < filters.size(); ++o) {
          const FilterSize& f = filters[o];
          const double share = f.sum > 0 ? f.share / f.sum : 0;
          const double tile =
              factor * f.sum * std::sqrt(share * mosts[near] * std::min(mosts[near], share * sums[near]));
          double& units = result.units[n * result.step[0] + static_cast<int64_t>(o) * result.step[1] +
                                       y * result.step[2] + x * result.step[3]];
          units = std::max(units, std::min(tile, promise * f.sum * window));
        }
      }
    });
  }
}

}  // namespace belay::exact
