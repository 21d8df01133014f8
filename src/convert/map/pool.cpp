// SPDX-License-Identifier: Apache-2.0
// Pooling. As with convolutions, one spatial dimension becomes two.
#include <algorithm>
#include <numeric>

#include "base/text.h"
#include "convert/map/mapping.h"
#include "convert/map/node_context.h"
#include "convert/map/numbers.h"
#include "convert/map/window.h"

namespace belay::convert {
namespace {

bool all_ones(const std::vector<int64_t>& values) {
  return std::all_of(values.begin(), values.end(), [](int64_t value) { return value == 1; });
}

Edge unsqueezed(NodeContext& c, Edge x) {
  return c.add({"Unsqueeze", "UnsqueezeX"}, {x}, {{"axes", std::vector<int64_t>{3}}});
}

Edge squeezed(NodeContext& c, const char* suffix, Edge y) {
  return c.add({"Squeeze", suffix}, {y}, {{"axis", std::vector<int64_t>{3}}});
}

// NOTSET gives the numbers; SAME with unknown sizes is left to the operator.
Result<std::string> padding_mode(const NodeContext& c, const Window& window) {
  if (window.auto_pad == "SAME_UPPER") return std::string("SAME");
  if (window.auto_pad == "SAME_LOWER") return c.fail("SAME_LOWER needs known sizes of the input");
  return std::string(c.text("auto_pad", "NOTSET") == "VALID" ? "VALID" : "CALCULATED");
}

Result<Attributes> pool_attributes(const NodeContext& c, const Window& window) {
  Attributes attributes = {{"ksize", Window::with_batch(window.kernel)},
                           {"strides", Window::with_batch(window.strides)},
                           {"pads", window.pads()},
                           {"ceil_mode", c.integer("ceil_mode", 0) != 0},
                           {"data_format", "NCHW"}};
  attributes["padding_mode"] = TRY(padding_mode(c, window));
  if (!all_ones(window.dilations)) {
    if (window.auto_pad != "NOTSET") return c.fail("SAME padding with dilations needs known sizes of the input");
    attributes["dilation"] = Window::with_batch(window.dilations);  // GE's own average has none
  }
  return attributes;
}

Status check_rank(const NodeContext& c, const Window& window) {
  if (window.rank() <= 3) return {};
  return c.fail(formatted("pooling over {} dimensions is not supported", window.rank()));
}

Status max_pool_3d(NodeContext& c, const Window& window) {
  if (c.wanted(1)) return c.fail("Indices of a pooling over three dimensions are not supported");
  const std::string mode = TRY(padding_mode(c, window));
  c.give(0, c.add("MaxPool3D", {c.in(0)},
                  {{"ksize", Window::with_batch(window.kernel)},
                   {"strides", Window::with_batch(window.strides)},
                   {"padding", mode},
                   {"pads", window.pads()},
                   {"dilation", Window::with_batch(window.dilations)},
                   {"ceil_mode", c.integer("ceil_mode", 0)},
                   {"data_format", "NCDHW"}}));
  return {};
}

// GE counts inside one plane; ONNX over the whole tensor, down the columns when storage_order is 1.
Result<Edge> whole_indices(NodeContext& c, Edge argmax, const Shape& input) {
  if (input.size() != 4 || !graph::is_known(input)) return c.fail("Indices need a known input shape");
  TRY(c.require_few(graph::element_count({input[0], input[1]})));
  const int64_t planes = input[0] * input[1], height = input[2], width = input[3];
  Edge index = argmax;
  if (c.integer("storage_order", 0) != 0) {
    const Edge columns = c.int_scalar("Width", width), rows = c.int_scalar("Height", height);
    const Edge column = c.add({"Mod", "Column"}, {index, columns});
    const Edge row = c.add({"FloorDiv", "Row"}, {index, columns});
    index = c.add({"Add", "ByColumn"}, {c.add({"Mul", "ColumnStart"}, {column, rows}), row});
  }
  std::vector<int64_t> starts(static_cast<size_t>(planes));
  for (int64_t i = 0; i < planes; ++i) starts[static_cast<size_t>(i)] = i * height * width;
  const Edge offsets = c.constant("PlaneStart", make_ints(starts, {input[0], input[1], 1, 1}, DataType::Int64));
  return c.add({"Add", "Indices"}, {index, offsets});
}

Status max_pool_with_indices(NodeContext& c, Edge x, const Window& window, bool flat) {
  const Shape input = c.info(x).shape;
  const Edge pooled = c.add("MaxPoolWithArgmaxV3", {x},
                            {{"ksize", window.kernel},
                             {"strides", window.strides},
                             {"pads", window.pads()},
                             {"dtype", static_cast<int64_t>(DataType::Int64)},
                             {"dilation", window.dilations},
                             {"ceil_mode", c.integer("ceil_mode", 0) != 0},
                             {"data_format", "NCHW"}});
  c.give(0, flat ? squeezed(c, "SqueezeY", pooled) : pooled);
  if (!c.wanted(1)) return {};
  const Edge indices = TRY(whole_indices(c, {pooled.node, 1}, input));
  c.give(1, flat ? squeezed(c, "SqueezeIndices", indices) : indices);
  return {};
}

Status max_pool(NodeContext& c) {
  Window window = TRY(read_window(c, {}));
  TRY(check_rank(c, window));
  if (window.rank() == 3) return max_pool_3d(c, window);
  const bool flat = window.rank() == 1;
  Edge x = c.in(0);
  if (flat) x = unsqueezed(c, x), window = window.widened(1);
  if (c.wanted(1) || !all_ones(window.dilations)) {
    if (window.auto_pad != "NOTSET") return c.fail("SAME padding with dilations or Indices needs known sizes");
    return max_pool_with_indices(c, x, window, flat);
  }
  const Edge y = c.add("MaxPoolV3", {x}, TRY(pool_attributes(c, window)));
  c.give(0, flat ? squeezed(c, "SqueezeY", y) : y);
  return {};
}

Result<Edge> average_3d(NodeContext& c, Edge x, const Window& window, bool include, int64_t divisor) {
  if (window.auto_pad != "NOTSET") return c.fail("SAME padding needs known sizes of the input");
  Attributes attributes = {{"ksize", Window::with_batch(window.kernel)},
                           {"strides", Window::with_batch(window.strides)},
                           {"pads", window.pads()},
                           {"ceil_mode", c.integer("ceil_mode", 0) != 0},
                           {"count_include_pad", include},
                           {"data_format", "NCDHW"}};
  if (divisor != 0) attributes["divisor_override"] = divisor;
  if (!all_ones(window.dilations)) attributes["dilation"] = Window::with_batch(window.dilations);
  return c.add("AvgPool3D", {x}, std::move(attributes));
}

// The mean of each window; with `divisor`, its sum divided by that.
Result<Edge> average(NodeContext& c, Edge x, Window window, bool include, int64_t divisor = 0) {
  TRY(check_rank(c, window));
  if (window.rank() == 3) return average_3d(c, x, window, include, divisor);
  const bool flat = window.rank() == 1;
  if (flat) x = unsqueezed(c, x), window = window.widened(1);
  Attributes attributes = TRY(pool_attributes(c, window));
  attributes["exclusive"] = !include;
  if (divisor != 0) attributes["divisor_override"] = divisor;
  const Edge y = c.add("AvgPoolV2", {x}, std::move(attributes));
  return flat ? squeezed(c, "SqueezeY", y) : y;
}

Status average_pool(NodeContext& c) {
  const Window window = TRY(read_window(c, {}));
  c.give(0, TRY(average(c, c.in(0), window, c.integer("count_include_pad", 0) == 1)));
  return {};
}

Status global_max_pool(NodeContext& c) {
  const int rank = c.rank(size_t{0});
  if (rank < 3) return c.fail("its input must have a known rank of 3 or more");
  std::vector<int64_t> axes(static_cast<size_t>(rank - 2));
  std::iota(axes.begin(), axes.end(), 2);
  const Edge over = c.int_constant("Const_0", axes);
  c.give(0, c.add({"ReduceMax", "RedeceMax"}, {c.in(0), over}, {{"keep_dims", true}}));
  return {};
}

Status global_lp_pool(NodeContext& c) {
  c.give(0, c.add("GlobalLpPool", {c.in(0)}, {{"p", static_cast<float>(c.integer("p", 2))}}));
  return {};
}

// (sum |x|^p)^(1/p). The sum is the average times the size of the window, unless windows may reach beyond the padding.
Status lp_pool(NodeContext& c) {
  const Window window = TRY(read_window(c, {}));
  const auto p = static_cast<float>(c.integer("p", 2));
  const Edge powers = c.add({"Power", "Power_0"}, {c.add("Abs", {c.in(0)})}, {{"power", p}});
  Edge sum;
  if (c.integer("ceil_mode", 0) != 0 || !all_ones(window.dilations)) {
    sum = TRY(average(c, powers, window, true, 1));
  } else {
    int64_t size = 1;
    for (const int64_t length : window.kernel) size *= length;
    sum = c.add("Muls", {TRY(average(c, powers, window, true))}, {{"value", static_cast<float>(size)}});
  }
  c.give(0, c.add({"Power", "Power_1"}, {sum}, {{"power", 1 / p}}));
  return {};
}

Status max_roi_pool(NodeContext& c) {
  const auto pooled = c.integers("pooled_shape");
  if (pooled.size() != 2) return c.fail("pooled_shape must have two numbers");
  const float scale = c.real("spatial_scale", 1);
  c.give(
      0,
      c.add(
          "ROIPooling", c.inputs(),
          {{"pooled_h", pooled[0]}, {"pooled_w", pooled[1]}, {"spatial_scale_h", scale}, {"spatial_scale_w", scale}}));
  return {};
}

constexpr MapRow rows[] = {
    {"AveragePool", 1, latest, "AvgPoolV2", average_pool},
    {"GlobalAveragePool", 1, latest, "GlobalAveragePool"},
    {"GlobalLpPool", 2, latest, "GlobalLpPool", global_lp_pool},
    {"GlobalMaxPool", 1, latest, "ReduceMax", global_max_pool},
    {"LpPool", 2, latest, "AvgPoolV2", lp_pool},
    {"MaxPool", 1, latest, "MaxPoolV3", max_pool},
    {"MaxRoiPool", 1, latest, "ROIPooling", max_roi_pool},
};

}  // namespace

std::span<const MapRow> map_rows_pool() { return rows; }

}  // namespace belay::convert
