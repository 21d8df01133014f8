// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "backend/kernel.h"

namespace belay::backend {

// What a node has to do, by its shapes alone, whichever way a kernel does it.
struct Work {
  double flops = 0;  // a multiplication and an addition are two
  double bytes = 0;  // of its inputs and outputs, each once
};

// Exact for convolutions, matrix products, Einstein sums of two operands and the products of recurrent layers, padding
// counted in; a bias is one operation for each element of the result. Of all other nodes, each element of a result is
// one. A fused node does what its members do, but reads and writes its own inputs and outputs only.
Work work_of(const graph::Node& node, std::span<const Tensor> inputs, std::span<const Tensor> outputs);

}  // namespace belay::backend
