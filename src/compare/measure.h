// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "base/status.h"
#include "compare/element_source.h"

namespace belay::compare {

// One element of both sides.
struct Place {
  int64_t at = -1;                  // row-major; -1: there is none
  long double ours = 0, truth = 0;  // which hold every integer of 64 bits
};

// What one side's elements are like; least and largest pass over NaN, the others are NaN with it.
struct SideCount {
  uint64_t nan = 0, plus_inf = 0, minus_inf = 0;
  double mean = 0, deviation = 0, min = 0, max = 0;
};

// All that is measured of two tensors with the same number of elements; x is ours, y the truth. The metrics of dump.md
// 10.1 are computed in double and follow IEEE arithmetic: a NaN, or an infinity less itself, makes them NaN. Bools have
// only the cosine and the relative Euclidean distance of them. NaN: not defined.
struct Measures {
  int64_t count = 0;
  bool bitwise = false;       // same type and same bytes
  bool constant_one = false;  // one element: the cosine is 1 by definition
  bool bits_only = false;     // of a type whose values are not known: only bits are compared, the metrics are NaN
  double cosine = 0, max_absolute = 0, accumulated_relative = 0, relative_euclidean = 0, kullback_leibler = 0;
  double mean_absolute = 0, root_mean_square = 0, max_relative = 0, mean_relative = 0;
  // In units of the coarser type's last place at y: the distance of y from its neighbour, of integers 1. Infinite when
  // only one side is finite, or NaN.
  double max_ulp = 0;
  double psnr = 0;  // dB, against the largest magnitude of y; infinite when there is no difference
  // The smallest that alone would pass |x-y| <= tol (* |y|); infinite when none would.
  double least_rtol = 0, least_atol = 0;
  uint64_t different = 0;  // elements that are not equal (NaN equals NaN)
  uint64_t outside = 0;    // elements that do not pass the tolerance
  // Of the elements that are finite on both sides: the cosine, the relative Euclidean distance (infinite when the truth
  // is 0 and ours is not) and the truth's largest magnitude.
  double finite_cosine = 0, finite_euclidean = 0, finite_largest = 0;
  Place first, worst;  // of the different ones, in memory order and by |x-y|; a NaN on one side is infinitely far
  SideCount ours, truth;
};

// Elements pass when |x-y| <= atol + rtol * |y|, or both are NaN or the same infinity.
struct Tolerance {
  double rtol = 0, atol = 0;
};

// Reads both once, piece by piece, on as many threads as pay; a second time when the Kullback-Leibler divergence is
// neither 0 nor infinite nor NaN, as it begins with the least elements. The same input gives the same bits whatever the
// number of threads. Two of one type whose values cannot be told are compared bit by bit. 100006 when the counts
// differ, with both shapes, and when such a type meets another.
Result<Measures> measure(const ElementSource& ours, const ElementSource& truth, const Tolerance& tolerance = {});

}  // namespace belay::compare
