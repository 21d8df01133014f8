// SPDX-License-Identifier: Apache-2.0
#include "graph/infer/resize_plan.h"

#include <algorithm>
#include <cmath>

#include "graph/infer/arguments.h"

namespace belay::graph {
namespace {

Status wrong(std::string why) { return {ACL_ERROR_PARSE_MODEL, std::move(why)}; }

Result<std::vector<size_t>> axes_of(const Node& node, size_t rank) {
  std::vector<size_t> axes;
  for (const int64_t axis : ints_of(node, "axes")) {
    const auto found = axis_within(axis, rank);
    if (!found) return wrong("axis " + std::to_string(axis) + " is outside the tensor");
    axes.push_back(*found);
  }
  if (axes.empty())
    for (size_t d = 0; d < rank; ++d) axes.push_back(d);
  return axes;
}

// Sizes that keep the ratio of the dimensions, all with the same scale.
void keep_ratio(const std::string& policy, const std::vector<size_t>& axes, std::vector<ResizeAxis>& plan) {
  double scale = policy == "not_larger" ? INFINITY : 0;
  for (const size_t d : axes) {
    const double own = double(plan[d].to) / double(plan[d].from);
    scale = policy == "not_larger" ? std::min(scale, own) : std::max(scale, own);
  }
  for (const size_t d : axes) {
    plan[d].scale = scale;
    plan[d].to = int64_t(std::floor(scale * double(plan[d].from) + 0.5));
    plan[d].length = double(plan[d].to);
  }
}

void by_size(ResizeAxis& axis, int64_t size) {
  axis.to = size;
  axis.scale = axis.from > 0 ? double(size) / double(axis.from) : 1;
  axis.length = double(size);
}

void by_scale(ResizeAxis& axis, double scale, bool cropped) {
  axis.scale = scale;
  if (axis.from < 0) {
    axis.to = -1;
    return;
  }
  // In float: 0.7f * 10 is 7, as everybody who chose the scale expects.
  const auto from = float(axis.from), part = cropped ? float(axis.roi_end - axis.roi_begin) : 1.0f;
  axis.to = int64_t(std::floor(from * part * float(scale)));
  axis.length = scale * double(axis.from) * double(part);
}

}  // namespace

Result<std::vector<ResizeAxis>> plan_resize(const Node& node, const Shape& x, const ResizeRequest& request) {
  const auto axes = TRY(axes_of(node, x.size()));
  const bool cropped = text_of(node, "coordinate_transformation_mode", "half_pixel") == "tf_crop_and_resize";
  const std::string policy = text_of(node, "keep_aspect_ratio_policy", "stretch");
  std::vector<ResizeAxis> plan(x.size());
  for (size_t d = 0; d < x.size(); ++d) plan[d].from = plan[d].to = x[d], plan[d].length = double(x[d]);
  if (cropped) {
    if (request.roi.size() != 2 * axes.size()) return wrong("roi needs a begin and an end for each axis");
    for (size_t i = 0; i < axes.size(); ++i) {
      plan[axes[i]].roi_begin = request.roi[i];
      plan[axes[i]].roi_end = request.roi[axes.size() + i];
    }
  }
  const bool sized = !request.sizes.empty();
  if ((sized ? request.sizes.size() : request.scales.size()) != axes.size())
    return wrong("there must be a scale or a size for each axis");
  for (size_t i = 0; i < axes.size(); ++i) {
    if (sized ? request.sizes[i] < 0 : !(request.scales[i] > 0)) return wrong("a scale or size is not positive");
    if (sized) {
      by_size(plan[axes[i]], request.sizes[i]);
      if (i < request.scales.size() && request.scales[i] > 0) plan[axes[i]].scale = request.scales[i];
    } else {
      by_scale(plan[axes[i]], request.scales[i], cropped);
    }
  }
  if (sized && policy != "stretch") keep_ratio(policy, axes, plan);
  return plan;
}

bool channels_first(const Node& node) {
  if (node.input_descs.empty()) return true;
  const auto& x = node.input_descs[0];
  const Format format = x.format == Format::ND ? x.origin_format : x.format;
  return format != Format::NHWC && format != Format::NDHWC;
}

}  // namespace belay::graph
