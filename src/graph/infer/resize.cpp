// SPDX-License-Identifier: Apache-2.0
// Shapes of resized images.
#include <cmath>

#include "graph/infer/arguments.h"
#include "graph/infer/resize_plan.h"
#include "graph/infer/rows.h"

namespace belay::graph {
namespace {

Status add_planned(InferContext& c, const ResizeRequest& request) {
  auto plan = plan_resize(c.node, c.shape(0), request);
  if (!plan.ok()) return c.fail(plan.status().message);
  Shape y;
  for (const ResizeAxis& axis : *plan) y.push_back(axis.to);
  c.add_output(c.inputs[0].type, std::move(y));
  return {};
}

bool has_elements(const InferContext& c, size_t input) {
  return c.has(input) && !(c.shape(input).size() == 1 && c.shape(input)[0] == 0);
}

// x, roi?, scales?, sizes?
Status resize(InferContext& c) {
  TRY(require_inputs(c, 1));
  ResizeRequest request;
  const auto roi = reals(c, 1), scales = reals(c, 2);
  const auto sizes = c.ints(3);
  const bool sized = has_elements(c, 3);
  const bool known = sized ? sizes.has_value() : scales.has_value();
  const bool cropped = text_of(c.node, "coordinate_transformation_mode", "half_pixel") == "tf_crop_and_resize";
  if (!sized && !has_elements(c, 2)) return c.fail("neither scales nor sizes is given");
  if (!rank_known(c.shape(0)) || !known || (cropped && !roi)) {
    c.add_output(c.inputs[0].type, rank_known(c.shape(0)) ? Shape(c.shape(0).size(), -1) : Shape{-2});
    return {};
  }
  if (roi) request.roi = *roi;
  if (sized) request.sizes = *sizes;
  if (scales) request.scales = *scales;
  return add_planned(c, request);
}

Status resize_d(InferContext& c) {
  TRY(require_inputs(c, 1));
  if (!rank_known(c.shape(0))) {
    c.add_output(c.inputs[0].type, {-2});
    return {};
  }
  ResizeRequest request;
  request.sizes = ints_of(c.node, "sizes");
  for (const float scale : get_or<std::vector<float>>(c.node.attributes, "scales", {})) request.scales.push_back(scale);
  for (const int64_t edge : ints_of(c.node, "roi")) request.roi.push_back(double(edge));
  return add_planned(c, request);
}

// x and the sizes of its rows and columns (and planes).
Status to_size(InferContext& c, const std::optional<std::vector<int64_t>>& size) {
  Shape y = c.shape(0);
  if (rank_known(y)) {
    if (y.size() < 3) return c.fail("x must have 3 dimensions or more");
    const size_t spatial = y.size() - 2, first = channels_first(c.node) ? 2 : 1;
    if (size && size->size() != spatial) return c.fail("size needs a number for each of rows and columns");
    for (size_t i = 0; i < spatial; ++i) y[first + i] = size ? (*size)[i] : -1;
  }
  const DataType type = c.inputs[0].type;
  const bool stays = c.node.type.find("Nearest") != std::string::npos || type == DataType::Float ||
                     type == DataType::Float16 || type == DataType::BFloat16 || type == DataType::Double;
  c.add_output(stays ? type : type_of(c.node, "dtype", DataType::Float), std::move(y));
  return {};
}

Status resize_to_input(InferContext& c) {
  TRY(require_inputs(c, 2));
  return to_size(c, c.ints(1));
}

Status resize_to_attribute(InferContext& c) {
  TRY(require_inputs(c, 1));
  auto size = ints_of(c.node, "size");
  if (size.empty()) size = ints_of(c.node, "output_size");
  const auto scales = get_or<std::vector<float>>(c.node.attributes, "scales", {});
  if (size.empty() && rank_known(c.shape(0)) && c.shape(0).size() == scales.size() + 2)
    for (size_t i = 0; i < scales.size(); ++i)
      size.push_back(c.shape(0)[2 + i] < 0 ? -1 : int64_t(std::floor(float(c.shape(0)[2 + i]) * scales[i])));
  return to_size(c, size);
}

// x, boxes, box_index, crop_size.
Status crop_and_resize(InferContext& c) {
  TRY(require_inputs(c, 4));
  const Shape &x = c.shape(0), &boxes = c.shape(1);
  if (x.size() != 4) return c.fail("x must have 4 dimensions");
  const auto size = c.ints(3);
  const int64_t count = rank_known(boxes) && boxes.size() == 2 ? boxes[0] : -1;
  const int64_t height = size && size->size() == 2 ? (*size)[0] : -1,
                width = size && size->size() == 2 ? (*size)[1] : -1;
  c.add_output(DataType::Float,
               channels_first(c.node) ? Shape{count, x[1], height, width} : Shape{count, height, width, x[3]});
  return {};
}

constexpr InferRow rows[] = {
    {"Resize", resize},
    {"ResizeD", resize_d},
    {"ResizeNearestNeighborV2", resize_to_input},
    {"ResizeNearestNeighborV2D", resize_to_attribute},
    {"ResizeBilinearV2", resize_to_input},
    {"ResizeBilinearV2D", resize_to_attribute},
    {"ResizeBicubicV2", resize_to_input},
    {"ResizeLinear", resize_to_input},
    {"ResizeTrilinear", resize_to_input},
    {"UpsampleNearest1d", resize_to_attribute},
    {"UpsampleNearest3d", resize_to_attribute},
    {"CropAndResize", crop_and_resize},
};

}  // namespace

std::span<const InferRow> infer_rows_resize() { return rows; }

}  // namespace belay::graph
