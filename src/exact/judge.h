// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "exact/evaluate.h"

namespace belay::exact {

// A stored output against the exact one.
struct Judgement {
  bool comparable = true;  // type and shape are those of the exact output
  double error = 0;        // the largest
  double share = 0;        // the largest part of what is permitted that an element used: above 1 it is wrong
  int64_t worst = 0;       // the element that used it
  int64_t outside = 0;     // elements that are wrong
  double relative = 0;     // root of the mean squared error in parts of the root of the mean square
};

Judgement judge(const Output& exact, const Value& actual);

}  // namespace belay::exact
