// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// The best code for this machine.
namespace belay::compare {

// So many elements are looked at together: both sides fit the first cache.
constexpr size_t kBlock = 2048;

// What a block adds to the tally (tally.h has the meaning). Of use only when the sums of squares are finite: then all
// elements are.
struct BlockSums {
  double sum_x = 0, squares_x = 0, sum_y = 0, squares_y = 0, products = 0;
  double distance = 0, distance_squares = 0, relative = 0;
  double max_distance = 0, max_relative = 0, max_rtol = 0, max_ulp = 0;
  double min_x = 0, max_x = 0, min_y = 0, max_y = 0, x_at_min_y = 0;
  uint64_t different = 0, outside = 0;
};

// A unit in the last place is 2^-digits of a value's power of two, which is at the least `least`.
struct UlpScale {
  double least, digits_power;
};

// What the elements are held against.
struct Yardstick {
  UlpScale ulp;
  double rtol = 0, atol = 0;
};

// Elements below or at this do not count in relative errors (dump.md 10.1).
constexpr double kEpsilon = 2.22e-16;

// Elements at any address, aligned or not. Half and BFloat: bits of IEEE binary16 and bfloat16.
struct Elements {
  enum class As : uint8_t { Float, Half, BFloat, Double } as;
  const void* data;
};

// Looks at as many of the elements as whole vectors hold, and says how many that are. Doubles go with doubles only.
size_t sum_block(Elements x, Elements y, size_t count, const Yardstick& by, BlockSums& sums);

// For the Kullback-Leibler divergence: a = x - min_x, b = y - min_y, and the sum of a ln(a/b) where a is not 0.
struct DivergenceSums {
  double a = 0, b = 0, a_log_ratio = 0;
};
DivergenceSums divergence_block(Elements x, Elements y, size_t count, double min_x, double min_y);

void widen_halves(const void* from, size_t count, float* to);
void widen_bfloats(const void* from, size_t count, float* to);

}  // namespace belay::compare
