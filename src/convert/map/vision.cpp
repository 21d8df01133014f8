// SPDX-License-Identifier: Apache-2.0
// Operators on images and boxes: resize, sampling, regions, suppression.
#include "base/text.h"
#include "convert/map/mapping.h"
#include "convert/map/node_context.h"
#include "convert/map/numbers.h"

namespace belay::convert {
namespace {

std::string resize_mode(const NodeContext& c) { return c.text("mode", "nearest"); }

// GE's Resize has ONNX's attributes; those of later opsets are passed on under ONNX's names.
Status resize(NodeContext& c) {
  Attributes attributes = {
      {"coordinate_transformation_mode", c.text("coordinate_transformation_mode", "half_pixel")},
      {"cubic_coeff_a", c.real("cubic_coeff_a", -0.75f)},
      {"exclude_outside", c.integer("exclude_outside", 0)},
      {"extrapolation_value", c.real("extrapolation_value", 0)},
      {"mode", resize_mode(c)},
      {"nearest_mode", c.text("nearest_mode", "round_prefer_floor")},
  };
  if (c.given("antialias")) attributes["antialias"] = c.integer("antialias", 0);
  if (c.given("axes")) attributes["axes"] = c.integers("axes");
  if (c.given("keep_aspect_ratio_policy"))
    attributes["keep_aspect_ratio_policy"] = c.text("keep_aspect_ratio_policy", "stretch");
  c.give(0, c.add("Resize", c.inputs(), std::move(attributes)));
  return {};
}

// What Resize meant before opset 11, and Upsample at any: x, scales.
Edge scaled(NodeContext& c, Edge scales) {
  const std::string mode = resize_mode(c) == "bilinear" ? "linear" : resize_mode(c);
  return c.add("Resize", {c.in(0), {}, scales},
               {{"coordinate_transformation_mode", "asymmetric"}, {"mode", mode}, {"nearest_mode", "floor"}});
}

Status resize_10(NodeContext& c) {
  c.give(0, scaled(c, c.in(1)));
  return {};
}

Status upsample(NodeContext& c) {
  const auto scales = c.reals("scales");
  if (c.has(1)) {
    c.give(0, scaled(c, c.in(1)));
  } else if (!scales.empty()) {
    const auto count = static_cast<int64_t>(scales.size());
    c.give(0, scaled(c, c.constant("Const", graph::make_constant(DataType::Float, {count}, scales))));
  } else {
    return c.fail("it has no scales");
  }
  return {};
}

// From opset 20 on the modes have other names and volumes are allowed.
Status grid_sample(NodeContext& c) {
  const std::string mode = c.text("mode", c.opset < 20 ? "bilinear" : "linear");
  const std::string name = mode == "linear" ? "bilinear" : mode == "cubic" ? "bicubic" : mode;
  const int rank = c.rank(size_t{0});
  if (rank != 4 && rank != 5) return c.fail("its input must have a known rank of 4 or 5");
  c.give(0, c.add(rank == 4 ? "GridSampler2D" : "GridSampler3D", c.inputs(),
                  {{"interpolation_mode", name},
                   {"padding_mode", c.text("padding_mode", "zeros")},
                   {"align_corners", c.integer("align_corners", 0) != 0}}));
  return {};
}

Status affine_grid(NodeContext& c) {
  c.give(0, c.add("AffineGrid", c.inputs(), {{"align_corners", c.integer("align_corners", 0) != 0}}));
  return {};
}

// GE wants the batch index as a box's first column. Half a pixel is taken off the corners from opset 16 on.
Status roi_align(NodeContext& c) {
  const std::string pixels =
      c.text("coordinate_transformation_mode", c.opset < 16 ? "output_half_pixel" : "half_pixel");
  constexpr int64_t corners_as_they_are = 0, half_pixel_off = 2;
  const Edge column = c.add("Unsqueeze", {c.in(2)}, {{"axes", std::vector<int64_t>{1}}});
  const DataType type = c.type(1) == DataType::Undefined ? DataType::Float : c.type(1);
  const Edge index = c.cast("Cast", column, type);
  const Edge boxes = c.add({"ConcatD", "Concat"}, {index, c.in(1)}, {{"concat_dim", 1}, {"N", 2}});
  c.give(0, c.add({"ROIAlign", "roialign"}, {c.in(0), boxes},
                  {{"spatial_scale", c.real("spatial_scale", 1)},
                   {"pooled_height", c.integer("output_height", 1)},
                   {"pooled_width", c.integer("output_width", 1)},
                   {"sample_num", c.integer("sampling_ratio", 0)},
                   {"roi_end_mode", pixels == "half_pixel" ? half_pixel_off : corners_as_they_are},
                   {"pool_mode", c.text("mode", "avg")}}));
  return {};
}

Status non_max_suppression(NodeContext& c) {
  const Edge selected =
      c.add("NonMaxSuppressionV6", c.inputs(), {{"center_point_box", c.integer("center_point_box", 0)}});
  c.give(0, c.cast("Cast", selected, DataType::Int64));
  return {};
}

// One dimension as two, the first of size 1.
void widen(std::vector<int64_t>& values, int64_t first) {
  if (values.size() == 1) values.insert(values.begin(), first);
}

// Sizes that are known only when it runs are handed on.
Status col2im_at_run_time(NodeContext& c) {
  const std::vector<int64_t> ones = {1, 1}, pads = c.integers("pads", {0, 0, 0, 0});
  if (c.shape(1) != Shape{2} || pads.size() != 4 || pads[0] != pads[2] || pads[1] != pads[3])
    return c.fail("image_shape and block_shape must be constant, except for two dimensions padded alike at both ends");
  const Edge size = c.cast("CastSize", c.in(1), DataType::Int32);
  const Edge kernel = c.cast("CastKernel", c.in(2), DataType::Int32);
  c.give(0, c.add("Col2ImV2", {c.in(0), size, kernel},
                  {{"dilation", c.integers("dilations", ones)},
                   {"padding", std::vector<int64_t>{pads[0], pads[1]}},
                   {"stride", c.integers("strides", ones)}}));
  return {};
}

// GE pads both ends alike. Else the columns are laid onto the padded image, of which the middle is taken.
Status col2im(NodeContext& c) {
  auto image = c.ints(1), block = c.ints(2);
  if (!image || !block) return col2im_at_run_time(c);
  const size_t rank = image->size();
  if (rank < 1 || rank > 2 || block->size() != rank) return c.fail("only one or two dimensions are supported");
  auto dilations = c.integers("dilations", std::vector<int64_t>(rank, 1));
  auto strides = c.integers("strides", std::vector<int64_t>(rank, 1));
  const auto pads = c.integers("pads", std::vector<int64_t>(2 * rank, 0));
  if (dilations.size() != rank || strides.size() != rank || pads.size() != 2 * rank)
    return c.fail("dilations, strides and pads do not fit image_shape");
  std::vector<int64_t> before(pads.begin(), pads.begin() + static_cast<std::ptrdiff_t>(rank));
  std::vector<int64_t> after(pads.begin() + static_cast<std::ptrdiff_t>(rank), pads.end());
  for (auto* ones : {&*image, &*block, &dilations, &strides}) widen(*ones, 1);
  for (auto* zeros : {&before, &after}) widen(*zeros, 0);
  const bool even = before == after;
  std::vector<int64_t> whole = *image;
  if (!even)
    for (size_t i = 0; i < 2; ++i) whole[i] += before[i] + after[i];
  const Edge size = c.int_constant("Size", whole, DataType::Int32);
  const Edge kernel = c.int_constant("Kernel", *block, DataType::Int32);
  Edge y =
      c.add("Col2ImV2", {c.in(0), size, kernel},
            {{"dilation", dilations}, {"padding", even ? before : std::vector<int64_t>{0, 0}}, {"stride", strides}});
  if (!even) {
    const std::vector<int64_t> end = {before[0] + (*image)[0], before[1] + (*image)[1]};
    y = c.add("StridedSliceV2",
              {y, c.int_constant("begin", before), c.int_constant("end", end), c.int_constant("axes", {2, 3})});
  }
  if (rank == 1) y = c.add("Squeeze", {y}, {{"axis", std::vector<int64_t>{2}}});
  c.give(0, y);
  return {};
}

// The shape that the pooling had before it, as far as its attributes tell. The indices count inside it.
Result<Shape> unpooled_shape(const NodeContext& c) {
  const Shape x = c.shape(0);
  const auto kernel = c.integers("kernel_shape");
  const auto strides = c.integers("strides", std::vector<int64_t>(kernel.size(), 1));
  const auto pads = c.integers("pads", std::vector<int64_t>(2 * kernel.size(), 0));
  if (!graph::is_known(x) || x.size() != kernel.size() + 2) return c.fail("the shape of its input must be known");
  if (strides.size() != kernel.size() || pads.size() != 2 * kernel.size())
    return c.fail("strides or pads do not fit kernel_shape");
  Shape y = {x[0], x[1]};
  for (size_t i = 0; i < kernel.size(); ++i)
    y.push_back((x[i + 2] - 1) * strides[i] + kernel[i] - pads[i] - pads[i + kernel.size()]);
  return y;
}

// Zeros behind the end of each dimension, up to the shape that the third input wants.
Edge extended(NodeContext& c, Edge y, const Shape& shape) {
  const Edge missing = c.add("Sub", {c.in(2), c.int_constant("inferred", shape)});
  const Edge before = c.int_constant("before", Shape(shape.size(), 0));
  const Edge pads = c.add({"ConcatD", "pads"}, {before, missing}, {{"concat_dim", 0}, {"N", 2}});
  const Edge zero = c.scalar("fill", 0, c.type(0));
  return c.add("PadV3", {y, pads, zero}, {{"mode", "constant"}, {"paddings_contiguous", false}});
}

// Puts each element back where the pooling found it; the rest is zero.
Status max_unpool(NodeContext& c) {
  const Shape shape = TRY(unpooled_shape(c));
  const int64_t count = graph::element_count(shape);
  if (count < 0) return c.fail("the shape before the pooling would be " + graph::to_text(shape));
  const Edge zeros = c.add("Fill", {c.int_constant("count", {count}), c.scalar("zero", 0, c.type(0))});
  const Edge row = c.int_constant("row", {-1});
  const Edge places = c.add({"Reshape", "indices"}, {c.in(1), row});
  const Edge values = c.add({"Reshape", "values"}, {c.in(0), row});
  const Edge flat = c.add("ScatterElements", {zeros, places, values}, {{"axis", 0}});
  const Edge y = c.add("Reshape", {flat, c.int_constant("shape", shape)});
  const auto wanted = c.ints(2);
  if (wanted && wanted->size() != shape.size()) return c.fail("output_shape has another rank than its input");
  c.give(0, !c.has(2) || (wanted && *wanted == shape) ? y : extended(c, y, shape));
  return {};
}

// ONNX's own inputs are kept: in which order GE wants offsets and masks is not documented.
Status deform_conv(NodeContext& c) {
  if (c.rank(size_t{0}) != 4) return c.fail("only two spatial dimensions are supported");
  c.give(0, c.add("DeformConv", c.inputs(),
                  {{"strides", c.integers("strides", {1, 1})},
                   {"pads", c.integers("pads", {0, 0, 0, 0})},
                   {"dilations", c.integers("dilations", {1, 1})},
                   {"groups", c.integer("group", 1)},
                   {"offset_group", c.integer("offset_group", 1)}}));
  return {};
}

constexpr MapRow rows[] = {
    {"AffineGrid", 20, latest, "AffineGrid", affine_grid},
    {"Col2Im", 18, latest, "Col2ImV2", col2im},
    {"DeformConv", 19, latest, "DeformConv", deform_conv},
    {"GridSample", 16, latest, "GridSampler2D", grid_sample},
    {"MaxUnpool", 9, latest, "ScatterElements", max_unpool},
    {"NonMaxSuppression", 10, latest, "NonMaxSuppressionV6", non_max_suppression},
    {"Resize", 10, 10, "Resize", resize_10},
    {"Resize", 11, latest, "Resize", resize},
    {"RoiAlign", 10, latest, "ROIAlign", roi_align},
    {"Upsample", 7, latest, "Resize", upsample},
};

}  // namespace

std::span<const MapRow> map_rows_vision() { return rows; }

}  // namespace belay::convert
