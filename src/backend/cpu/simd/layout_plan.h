// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backend/kernel.h"

namespace belay::backend::cpu {

// Channels that lie side by side in a blocked layout; 1 for the others.
int64_t channel_block(Layout layout);

// The dimensions that a tensor of this shape and layout has in memory, outermost first: N C H W, N H W C, or
// N C/16 H W 16, padding included.
Shape memory_shape(const Shape& shape, Layout layout);

// Sets what blocks pad to zero. Nothing for other layouts.
void clear_padding(DataType type, const Shape& shape, Layout layout, void* data);

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
