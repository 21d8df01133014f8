// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "graph/tensor/types.h"

namespace belay::exact {

// The elements of a tensor in groups that an operator treats as one: where each group begins, and how far each of its
// members is from there.
struct Groups {
  // Those that differ only in these dimensions; axes may count from the end.
  Groups(const graph::Shape& shape, const std::vector<int64_t>& axes);

  double size() const { return static_cast<double>(members.size()); }

  std::vector<int64_t> begins, members;
};

}  // namespace belay::exact
