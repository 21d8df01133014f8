// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "graph/tensor/types.h"

namespace belay::graph {

// An Einstein sum with its letters as numbers. The dimensions behind "..." have numbers of their own, counted from the
// last one, so that operands of different rank broadcast.
struct EinsumPlan {
  std::vector<std::vector<int>> operands;  // the label of each dimension of each operand
  std::vector<int> result;                 // of each dimension of the result
  std::vector<int64_t> sizes;              // of each label; -1: not known. A dimension of 1 under "..." broadcasts
  Shape result_shape() const;
};

// "ij,jk->ik", with "..." and without "->" (then: "..." and the letters that occur once, in alphabetical order). The
// error says what is wrong with the equation or which dimensions disagree.
Result<EinsumPlan> plan_einsum(std::string_view equation, std::span<const Shape> shapes);

}  // namespace belay::graph
