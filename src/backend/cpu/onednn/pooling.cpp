// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/fast_rows.h"
#include "backend/cpu/onednn/call.h"
#include "backend/cpu/onednn/nan_watch.h"
#include "backend/cpu/other_row.h"
#include "graph/window.h"

namespace belay::backend::cpu {
namespace {

using namespace onednn;
using dnnl::algorithm;

// Keeps the layout of its input. A maximum that meets a NaN is taken again by the reference kernel, which keeps it.
class Pooling : public Kernel {
 public:
  Pooling(const KernelRequest& request, Call call, Layout layout, bool maximum)
      : call_(std::move(call)), layout_(layout), maximum_(maximum), reference_(request, "reference") {}

  Status run(std::span<const Tensor> inputs, std::span<Tensor> outputs) override {
    call_.set(DNNL_ARG_SRC, inputs[0].data);
    call_.set(DNNL_ARG_DST, outputs[0].data);
    TRY(call_.run());
    if (!maximum_ || !met_nan()) return {};
    TRY(call_.run());  // the flag may have been another kernel's
    return met_nan() ? reference_.run(inputs, outputs) : Status{};
  }
  Layout wants(size_t i) const override { return i == 0 ? layout_ : Layout::Plain; }
  Layout gives(size_t) const override { return layout_; }
  size_t scratch_bytes() const override { return call_.scratch_bytes(); }
  void set_scratch(void* scratch) override { call_.set_scratch(scratch); }

 private:
  Call call_;
  Layout layout_;
  bool maximum_;
  OtherRow reference_;
};

Status check(const KernelRequest& request) {
  if (request.outputs.size() != 1) return refuse("the positions of the maxima are asked for");
  for (const auto* info : {&request.inputs[0], &request.outputs[0]}) {
    if (info->type != DataType::Float) return refuse("only float");
    if (info->shape.size() != 4 && info->shape.size() != 5) return refuse("only ranks 4 and 5");
    if (graph::element_count(info->shape) == 0) return refuse("an empty tensor");
  }
  return {};
}

MadeKernel make_pooling(const KernelRequest& request, algorithm how, const graph::Window& window) {
  const Shape &x = request.inputs[0].shape, &y = request.outputs[0].shape;
  Dims pad_end, dilation;
  for (size_t i = 0; i < window.rank(); ++i) {
    const int64_t extent = (window.kernel[i] - 1) * window.dilation[i] + 1;
    pad_end.push_back((y[i + 2] - 1) * window.stride[i] + extent - x[i + 2] - window.pad_begin[i]);
    dilation.push_back(window.dilation[i] - 1);
    if (window.pad_begin[i] >= window.kernel[i] || pad_end[i] >= window.kernel[i])
      return refuse("a window that lies in the padding");
    if (how == algorithm::pooling_avg_include_padding && pad_end[i] > window.pad_end[i])
      return refuse("an average over more than the padded input");
    if (how != algorithm::pooling_max && window.dilation[i] != 1) return refuse("an average with dilation");
  }
  const Layout layout = request.input_layouts[0];
  const Desc x_desc = desc_of(x, layout), y_desc = desc_of(y, layout);
  const dnnl::pooling_v2_forward::desc desc(dnnl::prop_kind::forward_inference, how, x_desc, y_desc, window.stride,
                                            window.kernel, dilation, window.pad_begin, pad_end);
  const dnnl::pooling_v2_forward::primitive_desc primitive(desc, with_scratch(), engine());
  Call call(primitive, dnnl::pooling_v2_forward(primitive));
  call.add(DNNL_ARG_SRC, x_desc);
  call.add(DNNL_ARG_DST, y_desc);
  return std::unique_ptr<Kernel>(
      std::make_unique<Pooling>(request, std::move(call), layout, how == algorithm::pooling_max));
}

Result<graph::Window> read_window(const KernelRequest& request) {
  TRY(check(request));
  const graph::InferContext context(request.node, request.inputs);
  const graph::Pooling pooling = TRY(graph::read_pooling(context));
  if (pooling.axes.channel != 1) return refuse("channels are not dimension 1");
  return pooling.window;
}

MadeKernel make_max(const KernelRequest& request) {
  return making(
      [&]() -> MadeKernel { return make_pooling(request, algorithm::pooling_max, TRY(read_window(request))); });
}

MadeKernel make_average(const KernelRequest& request) {
  const graph::Attributes& a = request.node.attributes;
  bool exclusive = true;
  if (request.node.type == "AvgPool3D") exclusive = !get_or(a, "count_include_pad", true);
  if (request.node.type == "AvgPoolV2") exclusive = get_or(a, "exclusive", true);
  if (get_or(a, "divisor_override", int64_t{0}) != 0) return refuse("a divisor given by the model");
  const auto how = exclusive ? algorithm::pooling_avg_exclude_padding : algorithm::pooling_avg_include_padding;
  return making([&]() -> MadeKernel { return make_pooling(request, how, TRY(read_window(request))); });
}

// One window over all of the plane.
template <algorithm how>
MadeKernel make_global(const KernelRequest& request) {
  TRY(check(request));
  const Shape& x = request.inputs[0].shape;
  graph::Window window;
  window.kernel.assign(x.begin() + 2, x.end());
  window.stride = window.dilation = std::vector<int64_t>(window.kernel.size(), 1);
  window.pad_begin = window.pad_end = std::vector<int64_t>(window.kernel.size(), 0);
  return making([&]() -> MadeKernel { return make_pooling(request, how, window); });
}

constexpr KernelRow rows[] = {
    {"AvgPool", "onednn", make_average},
    {"AvgPool3D", "onednn", make_average},
    {"AvgPoolV2", "onednn", make_average},
    {"GlobalAveragePool", "onednn", make_global<algorithm::pooling_avg_exclude_padding>},
    {"GlobalMaxPool", "onednn", make_global<algorithm::pooling_max>},
    {"MaxPool", "onednn", make_max},
    {"MaxPool3D", "onednn", make_max},
    {"MaxPoolV3", "onednn", make_max},
};

}  // namespace

std::span<const KernelRow> onednn_pooling_rows() { return rows; }

}  // namespace belay::backend::cpu
