// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backend/kernel.h"

namespace belay::backend::cpu {

// For each element a number that orders as the elements do: equal for equal elements (both zeros are), and the largest
// number for every NaN. Sorting by them needs no code for each type.
Result<std::vector<int64_t>> order_keys(const Tensor& tensor);

}  // namespace belay::backend::cpu
