// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

#include "compare/measure.h"
#include "compare/measure/kernels.h"

namespace belay::compare {

// What an element is held against: the unit in the last place there, and the tolerances.
struct ElementBy {
  long double unit;
  double rtol, atol;
};

// What has been seen of two tensors, x and y. Sums and the first maxima follow IEEE arithmetic, so that NaN and
// infinity stay in them; "apart" treats NaN as equal to NaN and as infinitely far from everything else.
struct Tally {
  // From now on also the elements of a later part. `block`, here and there, is where the part begins.
  void add(const Tally& later);
  void add_block(const BlockSums& sums, int64_t block);
  void add_element(long double x, long double y, const ElementBy& by, int64_t block);

  bool all_finite() const { return x.nan + x.plus_inf + x.minus_inf + y.nan + y.plus_inf + y.minus_inf == 0; }

  struct OneSide {
    long double sum = 0, squares = 0;
    double min = std::numeric_limits<double>::infinity(), max = -std::numeric_limits<double>::infinity();
    uint64_t nan = 0, plus_inf = 0, minus_inf = 0;
    void add(const OneSide& later);
    void add_element(long double value);
  };

  OneSide x, y;
  long double products = 0, distance = 0, distance_squares = 0, relative = 0;
  double max_distance = 0, max_relative = 0;        // NaN when one is
  double max_apart = 0, max_rtol = 0, max_ulp = 0;  // never NaN
  double x_at_min_y = -std::numeric_limits<double>::infinity();
  uint64_t different = 0, outside = 0;
  // Of the elements that are finite on both sides.
  struct Finite {
    long double squares_x = 0, squares_y = 0, products = 0, distance_squares = 0;
    double largest_y = 0;
  } finite;
  int64_t first_block = -1, worst_block = -1;  // which have the first different element and the one farthest apart
  bool same_bytes = true;
};

// How far two elements are apart: 0 when they are equal or both NaN, infinity when one is NaN or they are infinite.
long double apart(long double x, long double y);

}  // namespace belay::compare
