// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "base/status.h"
#include "replay/operator.h"

namespace belay::replay {

// Runs an operator: its outputs.
using Runner = std::function<Result<std::vector<graph::Constant>>(const Operator&)>;

struct ShrinkLimits {
  size_t tries = 2000;
  double seconds = 60;
};

struct Shrunk {
  Operator op;  // `dumped` is what it gave when it ran last
  size_t tries = 0;
  bool finished = true;  // false: a limit was reached before nothing was left to try
};

// Makes the operator smaller while some output of it is farther from the recomputation in double than allowed: first
// halves the extents of its inputs, those that must stay equal together; then sets as many values to zero as it can;
// then rounds the others to few bits. What the shape rules or the operator refuse is not taken. 100003 when nothing is
// wrong with it to begin with, or it cannot be recomputed.
Result<Shrunk> shrink(const Operator& op, const Runner& run, const ShrinkLimits& limits = {});

}  // namespace belay::replay
