// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "graph/tensor/types.h"

namespace belay::backend::cpu {

// A tensor as groups of elements: one group per position of the dimensions that stay, one member per position of the
// dimensions that are reduced. Element m of group g lies at kept[g] + reduced[m].
struct AxesSplit {
  // `axes` may count from the end; those of a scalar are ignored.
  AxesSplit(const graph::Shape& shape, const std::vector<int64_t>& axes);

  std::vector<int64_t> kept, reduced;
};

}  // namespace belay::backend::cpu
