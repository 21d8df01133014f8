// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "blame/trial.h"
#include "graph/infer/product_plan.h"

namespace belay::blame {

// The matrix product or convolution that an operator is, or that its output is made of element by element.
struct Product {
  graph::ProductPlan plan;
  size_t left = 0, right = 1;  // inputs of the operator
};

// Nothing when the operator has none whose elements are those of the output.
std::optional<Product> product_of(const Trial& trial, size_t output);

// What made an element: of products the largest terms, of operators that work element by element their operands. Empty
// for others.
std::vector<std::string> terms_of(const Trial& trial, size_t output, int64_t element);

}  // namespace belay::blame
