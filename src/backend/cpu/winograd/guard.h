// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/cpu/panels/filter.h"
#include "backend/cpu/winograd/tiles.h"

// What keeps Winograd's promise. The error of a result is at most
//   n 2^-23 · (mean magnitude of the inputs in its own window, over all channels) · (sum of its weights' magnitudes),
// n = 9 × inputs, or what any sum of floats may be off by, n 2^-24 times the products' magnitudes, where that is more.
// The mean is taken inside of the image. It counts as 2^-40 at least, the sum of the weights as 2^-80, for products
// that underflow. A window of zeros gives the bias itself.
//
// A tile's results share their roundings: each feels all inputs of the tile, whether its window has them or not. Let
// P be the largest sum of a pixel's magnitudes over the channels in the tile, Q the largest magnitude, W the sum of an
// output's weights' magnitudes, and s W the largest part of it that one input channel has (s is the filter's share).
//   1. With one channel, an error is at most 2^-24 k |x| |w|. The matrices' magnitudes multiply it by 16 (tile 2) or
//   205
//      (tile 4) and each product has a few roundings, which rarely agree: k = 32 or 100 are above all that we could
//      provoke (16 and 96; with 16 channels 31 and 103).
//   2. Adding up C channels rounds C times: k grows, no faster than k (1 + √C / 8); most where one channel dominates.
//   3. Roundings of different channels are independent: their errors e_c add up as √Σ e_c².
//   4. Σ e_c² <= max e_c · Σ e_c, where max e_c <= k s W Q and Σ e_c <= k W min(Q, s P).
//   5. So the error is at most 2^-24 k W √(s Q min(Q, s P)). The promise is 2^-24 · 18 W · (mean of the pixels' sums in
//      the window): it is kept when each window's mean is at least k / 18 · √(s Q min(Q, s P)).
// Steps 1 to 3 are statistics: an input made for it may do worse, as one may of any sum of floats. Tests try.
namespace belay::backend::cpu::winograd {

// With greater magnitudes sums would overflow.
constexpr float largest_input = 0x1p100f;

struct Trust {
  Trust(const Geometry& g, const panels::Filter& filter);

  float errors;  // k / 18, with the channels' part
  float share;   // s

  // The least mean that a window needs.
  float least_mean(float sum, float largest) const;
  // Whether the promise holds for ordinary inputs without further ado: windows with a third of the tile's largest mean,
  // and single inputs of five times the mean. The least number of channels follows: of uniform weights, tile 4 refuses
  // 16 and takes 20.
  bool suffices(int64_t inputs) const;
};

// Which of the tiles [first, first + count) of x keep the promise.
void judge(const Geometry& g, const Trust& trust, const float* x, int64_t first, int64_t count, bool* tame);

}  // namespace belay::backend::cpu::winograd
