// SPDX-License-Identifier: Apache-2.0
// The operators that resize images.
#include <optional>

#include "backend/cpu/arguments.h"
#include "backend/cpu/function_kernel.h"
#include "backend/cpu/resize/resample.h"
#include "backend/cpu/rows.h"
#include "backend/cpu/simd/layout_plan.h"
#include "base/text.h"
#include "graph/infer/arguments.h"

namespace belay::backend::cpu {
namespace {

using graph::ResizeAxis;
using graph::ResizeRequest;

Result<Coordinates> coordinates_named(const std::string& name) {
  if (name == "half_pixel") return Coordinates::HalfPixel;
  if (name == "half_pixel_symmetric") return Coordinates::HalfPixelSymmetric;
  if (name == "pytorch_half_pixel") return Coordinates::PytorchHalfPixel;
  if (name == "align_corners") return Coordinates::AlignCorners;
  if (name == "asymmetric") return Coordinates::Asymmetric;
  if (name == "tf_half_pixel_for_nn") return Coordinates::HalfPixelNearest;
  if (name == "tf_crop_and_resize") return Coordinates::Crop;
  if (name == "torch_nearest") return Coordinates::TorchNearest;  // ours, as the next
  if (name == "torch_nearest_exact") return Coordinates::TorchNearestExact;
  return refuse(formatted("coordinate_transformation_mode {} is not known", name));
}

Result<Resampling> resampling_of(const graph::Node& node) {
  Resampling how;
  how.coordinates = TRY(coordinates_named(graph::text_of(node, "coordinate_transformation_mode", "half_pixel")));
  const std::string mode = graph::text_of(node, "mode", "nearest");
  if (mode == "linear" || mode == "bilinear" || mode == "trilinear")
    how.interpolation = Interpolation::Linear;
  else if (mode == "cubic" || mode == "bicubic")
    how.interpolation = Interpolation::Cubic;
  else if (mode != "nearest")
    return refuse(formatted("mode {} is not one of nearest, linear, cubic", mode));
  const std::string nearest = graph::text_of(node, "nearest_mode", "round_prefer_floor");
  if (nearest == "round_prefer_ceil")
    how.nearest = Nearest::PreferCeil;
  else if (nearest == "floor")
    how.nearest = Nearest::Floor;
  else if (nearest == "ceil")
    how.nearest = Nearest::Ceil;
  else if (nearest != "round_prefer_floor")
    return refuse(formatted("nearest_mode {} is not known", nearest));
  how.cubic_a = graph::get_or<float>(node.attributes, "cubic_coeff_a", -0.75f);
  how.exclude_outside = graph::flag_of(node, "exclude_outside", false);
  how.antialias = graph::flag_of(node, "antialias", false);
  return how;
}

Resampler resampler_of(const Resampling& how, const std::vector<ResizeAxis>& plan, double extrapolation = 0) {
  std::vector<Taps> taps;
  for (const ResizeAxis& axis : plan) {
    Resampling own = how;
    // A dimension that stays is not touched, whatever the coordinates would say.
    if (axis.from == axis.to && axis.scale == 1 && axis.roi_begin == 0 && axis.roi_end == 1)
      own = {
          .interpolation = Interpolation::Nearest, .nearest = Nearest::Floor, .coordinates = Coordinates::Asymmetric};
    taps.push_back(make_taps(own, axis));
  }
  return {std::move(taps), how.interpolation == Interpolation::Nearest, extrapolation};
}

// A resize whose sizes are known when it is made. Images stay in the layout they have.
class ResizeKernel : public Kernel {
 public:
  ResizeKernel(Resampler resampler, Layout layout) : layout_(layout), resampler_(std::move(resampler)) {
    auto moved = layout == Layout::Plain ? std::nullopt : resampler_.in_layout(layout);
    if (moved)
      resampler_ = *std::move(moved);
    else
      layout_ = Layout::Plain;
  }
  Layout wants(size_t i) const override { return i == 0 ? layout_ : Layout::Plain; }
  Layout gives(size_t) const override { return layout_; }
  Status run(std::span<const Tensor> inputs, std::span<Tensor> outputs) override {
    Tensor x = inputs[0], y = outputs[0];
    x.shape = memory_shape(x.shape, layout_);
    y.shape = memory_shape(y.shape, layout_);
    return resampler_.run(x, y);
  }

 private:
  Layout layout_;
  Resampler resampler_;
};

MadeKernel resize_kernel(const KernelRequest& request, Resampler resampler) {
  return std::unique_ptr<Kernel>(std::make_unique<ResizeKernel>(std::move(resampler), request.input_layouts[0]));
}

// Keeps a node's attributes for a plan that is made when the sizes are there.
struct Resize {
  std::string label;
  graph::Node node;
  Resampling how;
  double extrapolation;

  Status run(const ResizeRequest& request, const Tensor& x, Tensor& y) const {
    const auto plan = graph::plan_resize(node, x.shape, request);
    if (!plan.ok()) return failed(label, plan.status().message);
    return resampler_of(how, *plan, extrapolation).run(x, y);
  }
};

Result<Resize> resize_of(const KernelRequest& request) {
  graph::Node node;
  node.attributes = request.node.attributes;
  const float extrapolation = graph::get_or<float>(node.attributes, "extrapolation_value", 0.0f);
  const Resampling how = TRY(resampling_of(request.node));
  return Resize{label_of(request.node), std::move(node), how, extrapolation};
}

bool given(Inputs in, size_t input) { return input < in.size() && in[input].present && in[input].count() > 0; }

// x, roi?, scales?, sizes?
Result<ResizeRequest> wanted_of(Inputs in) {
  ResizeRequest wanted;
  if (given(in, 1)) wanted.roi = TRY(reals(in[1]));
  if (given(in, 3)) wanted.sizes = TRY(integers(in[3]));
  if (given(in, 2)) wanted.scales = TRY(reals(in[2]));
  return wanted;
}

// The inputs but x when all of them are constants; nothing else.
std::optional<std::vector<Tensor>> constants_of(const KernelRequest& request) {
  std::vector<Tensor> tensors;
  for (const auto& input : request.inputs) {
    const bool first = tensors.empty();
    if (!first && input.present && !input.value) return std::nullopt;
    auto* data = first || !input.present ? nullptr : const_cast<std::byte*>(input.value->bytes.data());
    tensors.push_back({input.type, input.shape, Layout::Plain, data, input.present});
  }
  return tensors;
}

MadeKernel make_resize(const KernelRequest& request) {
  auto resize = TRY(resize_of(request));
  if (const auto constants = constants_of(request)) {
    const auto plan = TRY(graph::plan_resize(request.node, request.inputs[0].shape, TRY(wanted_of(*constants))));
    return resize_kernel(request, resampler_of(resize.how, plan, resize.extrapolation));
  }
  return function_kernel([resize = std::move(resize)](Inputs in, Outputs out) -> Status {
    return resize.run(TRY(wanted_of(in)), in[0], out[0]);
  });
}

MadeKernel make_resize_d(const KernelRequest& request) {
  ResizeRequest wanted;
  wanted.sizes = graph::ints_of(request.node, "sizes");
  for (const float scale : graph::get_or<std::vector<float>>(request.node.attributes, "scales", {}))
    wanted.scales.push_back(scale);
  for (const int64_t edge : graph::ints_of(request.node, "roi")) wanted.roi.push_back(double(edge));
  const auto resize = TRY(resize_of(request));
  const auto plan = TRY(graph::plan_resize(request.node, request.inputs[0].shape, wanted));
  return resize_kernel(request, resampler_of(resize.how, plan, resize.extrapolation));
}

// The operators that are told the size of rows and columns. Scales of theirs, when not 0, replace the ratio of sizes.
template <Interpolation interpolation>
MadeKernel make_to_size(const KernelRequest& request) {
  const auto& node = request.node;
  const bool align = graph::flag_of(node, "align_corners", false),
             centres = graph::flag_of(node, "half_pixel_centers", false);
  // Those made after PyTorch have no choice of centres: half pixels, but for nearest.
  const bool torch =
      node.type == "ResizeBicubicV2" || node.type == "ResizeLinear" || node.type.starts_with("UpsampleNearest");
  constexpr bool nearest = interpolation == Interpolation::Nearest;
  Resampling how{.interpolation = interpolation, .nearest = align ? Nearest::PreferCeil : Nearest::Floor};
  if (align)
    how.coordinates = Coordinates::AlignCorners;
  else if (nearest && torch)
    how.coordinates = Coordinates::TorchNearest;
  else if (centres || torch)
    how.coordinates = nearest ? Coordinates::HalfPixelNearest : Coordinates::HalfPixel;
  else
    how.coordinates = Coordinates::Asymmetric;
  if (request.outputs[0].type != request.inputs[0].type) return refuse("a result of another type is not supported");
  auto scales = graph::get_or<std::vector<float>>(node.attributes, "scales", {});
  if (const float scale = graph::get_or<float>(node.attributes, "scale", 0.0f)) scales = {scale};
  const Shape &x = request.inputs[0].shape, &y = request.outputs[0].shape;
  std::vector<ResizeAxis> plan(x.size());
  const size_t first = graph::channels_first(node) ? 2 : 1;
  for (size_t d = 0; d < x.size(); ++d) {
    plan[d] = {x[d], y[d], double(y[d]) / double(std::max<int64_t>(1, x[d])), double(y[d])};
    if (d >= first && d - first < scales.size() && scales[d - first] > 0 && !align) plan[d].scale = scales[d - first];
  }
  return resize_kernel(request, resampler_of(how, plan));
}

constexpr KernelRow rows[] = {
    {"Resize", "reference", make_resize},
    {"ResizeD", "reference", make_resize_d},
    {"ResizeNearestNeighborV2", "reference", make_to_size<Interpolation::Nearest>},
    {"ResizeNearestNeighborV2D", "reference", make_to_size<Interpolation::Nearest>},
    {"UpsampleNearest1d", "reference", make_to_size<Interpolation::Nearest>},
    {"UpsampleNearest3d", "reference", make_to_size<Interpolation::Nearest>},
    {"ResizeBilinearV2", "reference", make_to_size<Interpolation::Linear>},
    {"ResizeBilinearV2D", "reference", make_to_size<Interpolation::Linear>},
    {"ResizeLinear", "reference", make_to_size<Interpolation::Linear>},
    {"ResizeTrilinear", "reference", make_to_size<Interpolation::Linear>},
    {"ResizeBicubicV2", "reference", make_to_size<Interpolation::Cubic>},
};

}  // namespace

std::span<const KernelRow> resize_rows() { return rows; }

}  // namespace belay::backend::cpu
