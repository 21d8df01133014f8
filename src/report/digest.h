// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "compare/element_source.h"

namespace belay::report {

// What the elements of one side are like, as dump::measure tells it: least and largest pass over NaNs and include
// infinities, the others do not; not a number when there is nothing else. Integers of 64 bits are exact.
struct Summary {
  long double min = 0, max = 0;
  double mean = 0, deviation = 0, l2norm = 0;
  uint64_t nan = 0, plus_inf = 0, minus_inf = 0;
};

// How many finite elements are in each of the equal parts between low and high, both included.
struct Histogram {
  double low = 0, high = 0;
  std::vector<uint64_t> counts;
};

// The error everywhere: the tensor in boxes, fewer than it has elements along its axes. A cell is the largest |x-y| of
// its box, or the largest |x| when there is one side: 0 for 0, then a code from 1 to kCodes, each the same number of
// decades above the one before; kCodes is `most`. kNotFinite: an element is not finite, on one side only when there are
// two.
struct Picture {
  static constexpr int kCodes = 62, kNotFinite = 63;
  static constexpr double kDecades = 6;
  graph::Shape cells;          // how many boxes along each axis
  std::vector<uint8_t> codes;  // row-major
  double most = 0;
};

struct Extreme {
  int64_t at = 0;  // row-major
  long double ours = 0, truth = 0;
};

struct Digest {
  int64_t count = 0;
  Summary ours, truth;
  Histogram of_ours, of_truth, of_difference;  // the first two between the same bounds
  Picture picture;
  std::vector<Extreme> worst;  // farthest apart, or largest; at most ten, the worst first
};

// Reads both sides twice, piece by piece. `truth` may be null. The picture has at most `cells` cells, none for 0.
// 100006 when the values of a type cannot be told or the sides have different shapes.
Result<Digest> digest(const compare::ElementSource& ours, const compare::ElementSource* truth, int64_t cells);

}  // namespace belay::report
