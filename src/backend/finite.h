// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/kernel.h"

// graph/tensor/finite.h for tensors.
namespace belay::backend {

double largest_magnitude(const Tensor& tensor);
bool is_finite(const Tensor& tensor);
bool saturate(const Tensor& tensor);

}  // namespace belay::backend
