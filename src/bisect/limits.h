// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <optional>
#include <span>

#include "base/status.h"
#include "bisect/array.h"

namespace belay::bisect {

// What an output must fulfil to pass. NaN equals NaN, an infinity the same infinity.
struct Limits {
  // Every element: |x - y| <= atol + rtol * |y|. Nothing: elements do not count.
  std::optional<double> rtol, atol;
  std::optional<double> cosine;  // of the whole output, at least
};

// How far an output is from what it should be.
struct Distance {
  std::string output;
  bool passes = false;
  double cosine = 1;        // NaN when one side is zero and the other is not, or has a NaN or infinity
  double max_absolute = 0;  // of the elements that are finite on both sides
  double used = 0;     // the worst element's |x - y| in parts of what is allowed; infinite where only one is finite
  int64_t worst = -1;  // the element of `used`; -1 when all are equal
  double ours = 0, truth = 0;  // there
};

// 100006 when the counts differ, with both shapes; or a type has no numbers.
Result<Distance> distance(const Array& ours, const Array& truth, const Limits& limits);

bool all_pass(std::span<const Distance> distances);

}  // namespace belay::bisect
