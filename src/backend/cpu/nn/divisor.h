// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "backend/kernel.h"

namespace belay::backend::cpu {

// What the sum of a window is divided by to be an average.
struct Divisor {
  bool only_inside = true;  // counts the elements inside the input, not the padding
  int64_t fixed = 0;        // unless it is 0
};

inline Divisor read_divisor(const graph::Node& node) {
  const graph::Attributes& attributes = node.attributes;
  Divisor divisor;
  divisor.fixed = get_or(attributes, "divisor_override", int64_t{0});
  if (node.type == "AvgPool3D") divisor.only_inside = !get_or(attributes, "count_include_pad", true);
  if (node.type == "AvgPoolV2") divisor.only_inside = get_or(attributes, "exclusive", true);
  return divisor;
}

// Of a window that starts at `start`, the elements before `end`.
inline int64_t count_before(int64_t end, int64_t start, int64_t kernel, int64_t dilation) {
  return std::clamp<int64_t>((end - start + dilation - 1) / dilation, 0, kernel);
}

}  // namespace belay::backend::cpu
