// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "backend/cpu/fast_rows.h"
#include "backend/cpu/onednn/call.h"
#include "graph/infer_arguments.h"

namespace belay::backend::cpu {
namespace {

using namespace onednn;

// Joins tensors that are in a layout of their own; those that are Plain are left to the plain copy.
class Concat : public Kernel {
 public:
  Concat(Call call, Layout layout, size_t first, size_t count)
      : call_(std::move(call)), layout_(layout), first_(first), count_(count) {}

  Status run(std::span<const Tensor> inputs, std::span<Tensor> outputs) override {
    for (size_t i = 0; i < count_; ++i) call_.set(DNNL_ARG_MULTIPLE_SRC + static_cast<int>(i), inputs[first_ + i].data);
    call_.set(DNNL_ARG_DST, outputs[0].data);
    return call_.run();
  }
  Layout wants(size_t i) const override { return i >= first_ && i < first_ + count_ ? layout_ : Layout::Plain; }
  Layout gives(size_t) const override { return layout_; }
  size_t scratch_bytes() const override { return call_.scratch_bytes(); }
  void set_scratch(void* scratch) override { call_.set_scratch(scratch); }

 private:
  Call call_;
  Layout layout_;
  size_t first_, count_;
};

// Blocks can be joined along the channels only where each part ends with a whole block.
bool ends_blocks(const Shape& shape, Layout layout) {
  const int64_t block = layout == Layout::Blocked16 ? 16 : layout == Layout::Blocked8 ? 8 : 1;
  return shape[1] % block == 0;
}

// The layout that most elements have.
Layout common_layout(const KernelRequest& request, size_t first, size_t count) {
  int64_t elements[4] = {};
  for (size_t i = first; i < first + count; ++i)
    elements[static_cast<size_t>(request.input_layouts[i])] += graph::element_count(request.inputs[i].shape);
  return static_cast<Layout>(std::max_element(elements, elements + 4) - elements);
}

MadeKernel make_with(const KernelRequest& request, int64_t given_axis, size_t first, size_t count) {
  const Shape& y = request.outputs[0].shape;
  const auto axis = graph::axis_within(given_axis, y.size());
  if (!axis || request.outputs[0].type != DataType::Float || (y.size() != 4 && y.size() != 5))
    return refuse("only float of rank 4 or 5");
  const Layout layout = common_layout(request, first, count);
  if (layout == Layout::Plain) return refuse("all parts are plain");
  std::vector<Desc> parts;
  for (size_t i = first; i < first + count; ++i) {
    const Shape& shape = request.inputs[i].shape;
    if (graph::element_count(shape) == 0) return refuse("an empty part");
    if (*axis == 1 && i + 1 < first + count && !ends_blocks(shape, layout)) return refuse("a part ends within a block");
    parts.push_back(desc_of(shape, layout));
  }
  return making([&]() -> MadeKernel {
    const Desc result = desc_of(y, layout);
    const dnnl::concat::primitive_desc desc(result, static_cast<int>(*axis), parts, engine(), with_scratch());
    Call call(desc, dnnl::concat(desc));
    for (size_t i = 0; i < parts.size(); ++i) call.add(DNNL_ARG_MULTIPLE_SRC + static_cast<int>(i), parts[i]);
    call.add(DNNL_ARG_DST, result);
    return std::unique_ptr<Kernel>(std::make_unique<Concat>(std::move(call), layout, first, count));
  });
}

MadeKernel make_d(const KernelRequest& request) {
  return make_with(request, graph::int_of(request.node, "concat_dim", 0), 0, request.inputs.size());
}

MadeKernel make(const KernelRequest& request) {
  const bool axis_first = request.node.type == "Concat";
  const graph::TensorInfo& axis = axis_first ? request.inputs.front() : request.inputs.back();
  const auto value = axis.value ? graph::integers(*axis.value) : std::nullopt;
  if (!value || value->size() != 1) return refuse("the dimension is not a constant");
  return make_with(request, value->front(), axis_first ? 1 : 0, request.inputs.size() - 1);
}

constexpr KernelRow rows[] = {
    {"Concat", "onednn", make},
    {"ConcatD", "onednn", make_d},
    {"ConcatV2", "onednn", make},
    {"ConcatV2D", "onednn", make_d},
};

}  // namespace

std::span<const KernelRow> onednn_concat_rows() { return rows; }

}  // namespace belay::backend::cpu
