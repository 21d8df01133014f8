// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>

#include "base/status.h"
#include "bisect/array.h"
#include "compare/limits.h"
#include "compare/measure.h"

namespace belay::bisect {

// What an output should be.
using Truth = std::shared_ptr<const compare::ElementSource>;

// How far an output is from what it should be.
struct Distance {
  std::string output;
  std::string why;  // it does not pass, in a sentence; "": it passes
  compare::Measures measures;

  bool passes() const { return why.empty(); }
};

// 100006 when the counts differ, with both shapes, or a type has no numbers.
Result<Distance> distance(const Array& ours, const compare::ElementSource& truth, const compare::Limits& limits);

// The array as a truth; it is copied.
Truth truth_of(const Array& array);

bool all_pass(std::span<const Distance> distances);

}  // namespace belay::bisect
