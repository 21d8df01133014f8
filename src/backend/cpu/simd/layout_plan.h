// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backend/kernel.h"

namespace belay::backend::cpu {

// The dimensions that a tensor of this shape and layout has in memory, outermost first: N C H W or N H W C.
Shape memory_shape(const Shape& shape, Layout layout);

// An element-wise operator that leaves its operands in the layout they have: as a broadcast of the shapes that they
// have in memory.
struct LayoutPlan {
  Layout layout = Layout::Plain;  // of the result
  std::vector<Layout> wants;      // of the operands
  Shape output;                   // in memory
  std::vector<Shape> operands;    // in memory
};

// The plan for the first `count` inputs of a request, which broadcast to output 0.
LayoutPlan plan_layouts(const KernelRequest& request, size_t count);

}  // namespace belay::backend::cpu
