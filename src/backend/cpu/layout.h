// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/kernel.h"

namespace belay::backend::cpu {

// Copies a tensor into one of the same type and shape but another layout. What blocks pad is set to zero.
Status reorder(const Tensor& from, Tensor& to);

}  // namespace belay::backend::cpu
