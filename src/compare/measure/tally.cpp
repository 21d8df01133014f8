// SPDX-License-Identifier: Apache-2.0
#include "compare/measure/tally.h"

#include <algorithm>
#include <cmath>

namespace belay::compare {
namespace {

// The larger; NaN when one is.
double larger(double a, double b) { return std::isnan(a) || std::isnan(b) ? std::nan("") : std::max(a, b); }

// The largest x among those where y is least.
double at_least_y(double x, double y, double other_x, double other_y) {
  return y < other_y ? x : other_y < y ? other_x : std::max(x, other_x);
}

}  // namespace

long double apart(long double x, long double y) {
  if (x == y || (std::isnan(x) && std::isnan(y))) return 0;
  return std::isfinite(x) && std::isfinite(y) ? std::abs(x - y) : std::numeric_limits<long double>::infinity();
}

void Tally::OneSide::add(const OneSide& later) {
  sum += later.sum;
  squares += later.squares;
  min = std::min(min, later.min);
  max = std::max(max, later.max);
  nan += later.nan;
  plus_inf += later.plus_inf;
  minus_inf += later.minus_inf;
}

void Tally::OneSide::add_element(long double value) {
  sum += value;
  squares += value * value;
  if (std::isnan(value)) {
    ++nan;
    return;
  }
  if (std::isinf(value)) ++(value > 0 ? plus_inf : minus_inf);
  min = std::min(min, static_cast<double>(value));
  max = std::max(max, static_cast<double>(value));
}

void Tally::add(const Tally& later) {
  x_at_min_y = at_least_y(x_at_min_y, y.min, later.x_at_min_y, later.y.min);
  x.add(later.x);
  y.add(later.y);
  products += later.products;
  distance += later.distance;
  distance_squares += later.distance_squares;
  relative += later.relative;
  max_distance = larger(max_distance, later.max_distance);
  max_relative = larger(max_relative, later.max_relative);
  max_rtol = std::max(max_rtol, later.max_rtol);
  max_ulp = std::max(max_ulp, later.max_ulp);
  if (later.max_apart > max_apart) worst_block = later.worst_block;
  max_apart = std::max(max_apart, later.max_apart);
  if (first_block < 0) first_block = later.first_block;
  different += later.different;
  outside += later.outside;
  finite.squares_x += later.finite.squares_x;
  finite.squares_y += later.finite.squares_y;
  finite.products += later.finite.products;
  finite.distance_squares += later.finite.distance_squares;
  finite.largest_y = std::max(finite.largest_y, later.finite.largest_y);
  same_bytes &= later.same_bytes;
}

void Tally::add_block(const BlockSums& sums, int64_t block) {
  Tally made{.x = {.sum = sums.sum_x, .squares = sums.squares_x, .min = sums.min_x, .max = sums.max_x},
             .y = {.sum = sums.sum_y, .squares = sums.squares_y, .min = sums.min_y, .max = sums.max_y},
             .products = sums.products,
             .distance = sums.distance,
             .distance_squares = sums.distance_squares,
             .relative = sums.relative,
             .max_distance = sums.max_distance,
             .max_relative = sums.max_relative,
             .max_apart = sums.max_distance,
             .max_rtol = sums.max_rtol,
             .max_ulp = sums.max_ulp,
             .x_at_min_y = sums.x_at_min_y,
             .different = sums.different,
             .outside = sums.outside,
             .finite = {.squares_x = sums.squares_x,
                        .squares_y = sums.squares_y,
                        .products = sums.products,
                        .distance_squares = sums.distance_squares,
                        .largest_y = std::max(std::abs(sums.min_y), std::abs(sums.max_y))}};
  if (made.different > 0) made.first_block = made.worst_block = block;
  add(made);
}

void Tally::add_element(long double of_x, long double of_y, const ElementBy& by, int64_t block) {
  Tally made{.products = of_x * of_y};
  made.x.add_element(of_x);
  made.y.add_element(of_y);
  made.x_at_min_y = std::isnan(of_y) ? made.x_at_min_y : static_cast<double>(of_x);
  const long double difference = std::abs(of_x - of_y), between = apart(of_x, of_y);
  made.distance = difference;
  made.distance_squares = difference * difference;
  made.max_distance = static_cast<double>(difference);
  if (std::abs(of_y) > kEpsilon) made.relative = std::abs(of_x / of_y - 1);
  made.max_relative = static_cast<double>(made.relative);
  if (std::isfinite(of_x) && std::isfinite(of_y))
    made.finite = {of_x * of_x, of_y * of_y, of_x * of_y, difference * difference, static_cast<double>(std::abs(of_y))};
  if (between > 0) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const bool finite = std::isfinite(between);
    made.max_apart = static_cast<double>(between);
    made.max_rtol = finite && of_y != 0 ? static_cast<double>(between / std::abs(of_y)) : infinity;
    made.max_ulp = finite ? static_cast<double>(between / by.unit) : infinity;
    made.different = 1;
    made.outside = !finite || between > by.atol + by.rtol * std::abs(of_y) ? 1 : 0;
    made.first_block = made.worst_block = block;
  }
  add(made);
}

}  // namespace belay::compare
