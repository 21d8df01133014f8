// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backend/kernel.h"

namespace belay::backend::cpu {

// The elements of a small tensor (a bias, a scale, an axis), whatever its type; empty when it is absent.
Result<std::vector<double>> read_doubles(const Tensor& tensor);
// The same for integers and bools; floats are refused.
Result<std::vector<int64_t>> read_integers(const Tensor& tensor);

}  // namespace belay::backend::cpu
