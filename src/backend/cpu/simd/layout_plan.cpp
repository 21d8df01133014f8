// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/simd/layout_plan.h"

#include <algorithm>

namespace belay::backend::cpu {
namespace {

// The shape with leading ones up to `rank` dimensions.
Shape aligned(const Shape& shape, size_t rank) {
  Shape all(rank, 1);
  std::copy_backward(shape.begin(), shape.end(), all.end());
  return all;
}

// How an operand that repeats along some dimensions joins a result of this layout; false: it cannot without moving.
bool join(const Shape& given, const Shape& output, Layout layout, Layout has, Layout& wants, Shape& memory) {
  const Shape shape = aligned(given, output.size());
  if (shape == output) {
    wants = layout;
    memory = memory_shape(shape, layout);
    return given.size() == output.size();
  }
  const bool no_space = std::all_of(shape.begin() + 2, shape.end(), [](int64_t size) { return size == 1; });
  if (shape[1] == 1) {
    wants = Layout::Plain;
    memory = memory_shape(shape, Layout::ChannelsLast);
    return true;
  }
  memory = memory_shape(shape, layout);
  if (no_space) {  // the same bytes in either layout
    wants = has == layout ? layout : Layout::Plain;
    return true;
  }
  wants = layout;
  return given.size() == output.size();
}

bool plan_for(const KernelRequest& request, size_t count, Layout layout, LayoutPlan& plan) {
  const Shape& output = request.outputs[0].shape;
  plan = {layout, std::vector<Layout>(count), memory_shape(output, layout), std::vector<Shape>(count)};
  for (size_t i = 0; i < count; ++i)
    if (!join(request.inputs[i].shape, output, layout, request.input_layouts[i], plan.wants[i], plan.operands[i]))
      return false;
  return true;
}

}  // namespace

Shape memory_shape(const Shape& shape, Layout layout) {
  if (layout == Layout::Plain || shape.size() < 3) return shape;
  Shape memory = {shape[0]};
  memory.insert(memory.end(), shape.begin() + 2, shape.end());
  memory.push_back(shape[1]);
  return memory;
}

LayoutPlan plan_layouts(const KernelRequest& request, size_t count) {
  const Shape& output = request.outputs[0].shape;
  LayoutPlan plan;
  for (size_t i = 0; i < count && output.size() >= 4; ++i) {
    const Layout layout = request.input_layouts[i];
    if (layout != Layout::Plain && request.inputs[i].shape == output && plan_for(request, count, layout, plan))
      return plan;
  }
  plan = {Layout::Plain, std::vector<Layout>(count, Layout::Plain), output, {}};
  for (size_t i = 0; i < count; ++i) plan.operands.push_back(request.inputs[i].shape);
  return plan;
}

}  // namespace belay::backend::cpu
