// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "graph/tensor/types.h"

namespace belay::graph {

// The values of all bit patterns of a float of at most 8 bits: 256 of Float8E5M2, Float8E4M3FN and Float8E8M0, 16 of
// Float4E2M1. Empty for every other type.
std::span<const float> small_float_values(DataType type);

}  // namespace belay::graph
