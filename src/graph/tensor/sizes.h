// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "graph/tensor/types.h"

namespace belay::graph {

// More than a process can address. No tensor is larger: sizes can be added up and rounded without a thought. Inference
// refuses nodes with larger outputs, and the reader of .om files such inputs and outputs.
inline constexpr size_t kMostBytes = size_t{1} << 47;

// Why there cannot be such a tensor: "[1,2] of DT_FLOAT is larger than any memory"; empty when there can.
std::string too_large(DataType type, const Shape& shape);

}  // namespace belay::graph
