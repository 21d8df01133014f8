// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/text.h"
#include "graph/infer/window.h"

namespace belay::graph {

namespace {

using Ints = std::vector<int64_t>;

Ints list_of(const Node& node, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    if (const Ints* list = get_if<Ints>(node.attributes, name)) return *list;
    if (const int64_t* one = get_if<int64_t>(node.attributes, name)) return {*one};
  }
  return {};
}

bool flag_of(const Node& node, std::string_view name) {
  return get_or(node.attributes, name, false) || get_or(node.attributes, name, int64_t{0}) != 0;
}

std::string_view default_format(const Node& node) {
  const std::string_view type = node.type;
  if (type == "MaxPool3D" || type == "AvgPool3D") return "NDHWC";
  if (type.starts_with("MaxPool3DWith")) return "NCDHW";
  if (type == "MaxPool" || type == "AvgPool" || type == "MaxPoolExt2" || type == "MaxPoolWithArgmax") return "NHWC";
  return "NCHW";
}

// The window of a pooling over everything is as large as the input.
void cover_all(Window& window) {
  window.kernel = window.input;
  window.stride.assign(window.rank(), 1);
  window.pad_begin.assign(window.rank(), 0);
  window.pad_end.assign(window.rank(), 0);
}

}  // namespace

Result<Pooling> read_pooling(const InferContext& context) {
  const Node& node = context.node;
  const Shape& x = context.shape(0);
  Pooling pooling;
  pooling.axes = axes_of(data_format_of(node, default_format(node)));
  if (x.size() != pooling.axes.spatial.size() + 2)
    return context.fail(formatted("the input has shape {}, but the format has {} dimensions", to_text(x),
                                  pooling.axes.spatial.size() + 2));
  Window& window = pooling.window;
  for (const size_t d : pooling.axes.spatial) window.input.push_back(x[d]);
  window.kernel = spatial_of(list_of(node, {"ksize", "window"}), pooling.axes, 1);
  window.stride = spatial_of(list_of(node, {"strides", "stride"}), pooling.axes, 1);
  window.dilation = spatial_of(list_of(node, {"dilation", "dilations"}), pooling.axes, 1);

  set_pads(window, list_of(node, {"pads", "pad"}));
  const std::string mode = get_or(node.attributes, "padding_mode", get_or(node.attributes, "padding", std::string()));
  if (mode == "SAME" || mode == "SAME_UPPER" || mode == "SAME_LOWER") pad_to_same(window, mode == "SAME_LOWER");
  if (mode == "VALID") set_pads(window, {});
  if (flag_of(node, "global_pooling")) cover_all(window);
  for (const Ints* pads : {&window.pad_begin, &window.pad_end})
    if (std::ranges::any_of(*pads, [](int64_t pad) { return pad < 0; }))
      return context.fail(formatted("a pad of {} is below 0", to_text(*pads)));

  if (is_known(window.kernel) && !place_window(window, flag_of(node, "ceil_mode")))
    return context.fail(formatted("a window of {} with strides {} does not fit the input {}", to_text(window.kernel),
                                  to_text(window.stride), to_text(x)));
  if (window.output.empty()) window.output.assign(window.rank(), 1);
  pooling.output_shape = shape_with(pooling.axes, x[pooling.axes.batch], x[pooling.axes.channel], window.output);
  return pooling;
}

}  // namespace belay::graph
