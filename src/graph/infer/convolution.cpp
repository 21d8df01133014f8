// SPDX-License-Identifier: Apache-2.0
#include "graph/infer/convolution.h"

#include "base/text.h"

namespace belay::graph {

namespace {

using Ints = std::vector<int64_t>;

Ints list_of(const Node& node, std::string_view name) { return get_or(node.attributes, name, Ints{}); }

// Which inputs are x, filter and bias; the forms with D have the size of y as an attribute.
void place_inputs(std::string_view type, Convolution& c) {
  c.transposed = type != "Conv2D" && type != "Conv3D" && type != "DepthwiseConv2D";
  if (type == "Conv2DTranspose" || type == "Conv3DTranspose") {
    c.x = 1, c.filter = 2, c.bias = 3, c.offset = 4;
  } else if (type == "Conv2DBackpropInput") {
    c.filter = 1, c.x = 2, c.bias = 3, c.offset = 4;
  } else if (type == "Conv2DBackpropInputD") {
    c.filter = 0, c.x = 1, c.bias = 2, c.offset = 3;
  }
}

bool has_size_input(std::string_view type) {
  return type == "Conv2DTranspose" || type == "Conv3DTranspose" || type == "Conv2DBackpropInput";
}

std::string data_format(const Node& node, size_t x, size_t rank) {
  if (x < node.input_descs.size()) {
    for (const Format format : {node.input_descs[x].origin_format, node.input_descs[x].format})
      if (format == Format::NCHW || format == Format::NHWC || format == Format::NCDHW || format == Format::NDHWC)
        return std::string(name_of(format));
  }
  const bool first = node.type == "Deconvolution";
  return get_or(node.attributes, "data_format", std::string(rank == 3 ? "NDHWC" : first ? "NCHW" : "NHWC"));
}

// The order of a filter's dimensions: as its descriptor says, else the one that goes with the format of x.
std::string filter_format(const Node& node, size_t filter, std::string_view data_format) {
  if (filter < node.input_descs.size()) {
    for (const Format format : {node.input_descs[filter].origin_format, node.input_descs[filter].format}) {
      const std::string_view name = name_of(format);
      if (format != Format::ND && name.size() == data_format.size() && name.find_first_of("01") == name.npos)
        return std::string(name);
    }
  }
  const bool channels_first = data_format[1] == 'C';
  if (channels_first) return std::string(data_format);
  return data_format.size() == 5 ? "DHWCN" : "HWCN";
}

FilterAxes filter_axes(std::string_view format) {
  const TensorAxes axes = axes_of(format);
  return {axes.batch, axes.channel, axes.spatial};
}

// `output` from the filter and the window for a convolution; for a transposed one the size of y.
Status place(const InferContext& context, Convolution& c, const Shape& x, const Shape& filter) {
  const Node& node = context.node;
  Window& w = c.window;
  for (const size_t d : c.filter_axes.spatial) w.kernel.push_back(filter[d]);
  w.stride = spatial_of(list_of(node, "strides"), c.axes, 1);
  w.dilation = spatial_of(list_of(node, "dilations"), c.axes, 1);
  for (const size_t d : c.axes.spatial) w.input.push_back(x[d]);
  set_pads(w, list_of(node, "pads"));
  const std::string automatic = get_or(node.attributes, "auto_pad", get_or(node.attributes, "padding", std::string()));
  const bool same = automatic.starts_with("SAME");
  if (same) pad_to_same(w, automatic == "SAME_LOWER");
  if (automatic == "VALID") set_pads(w, {});
  if (is_known(w.kernel) && !place_window(w, false))
    return context.fail(formatted("a filter of {} with strides {} does not fit the input {}", to_text(w.kernel),
                                  to_text(w.stride), to_text(x)));
  if (w.output.empty()) w.output.assign(w.rank(), -1);
  return {};
}

// The spatial size of y that the node asks for; empty when it does not.
Ints wanted_size(const InferContext& context, const Convolution& c) {
  const Node& node = context.node;
  Ints size = list_of(node, "input_size");
  if (has_size_input(node.type)) size = context.ints(0).value_or(Ints{});
  bool all_zero = true;
  for (const int64_t d : size) all_zero = all_zero && d == 0;
  if (all_zero) size = list_of(node, "output_shape");
  if (size.empty()) return {};
  return spatial_of(size, c.axes, -1);
}

Status place_transposed(const InferContext& context, Convolution& c, const Shape& x, const Shape& filter) {
  const Node& node = context.node;
  Window& w = c.window;
  for (const size_t d : c.filter_axes.spatial) w.kernel.push_back(filter[d]);
  w.stride = spatial_of(list_of(node, "strides"), c.axes, 1);
  w.dilation = spatial_of(list_of(node, "dilations"), c.axes, 1);
  for (const size_t d : c.axes.spatial) w.output.push_back(x[d]);
  set_pads(w, list_of(node, "pads"));
  const Ints extra = spatial_of(list_of(node, "output_padding"), c.axes, 0);
  const Ints wanted = wanted_size(context, c);
  const std::string automatic = get_or(node.attributes, "auto_pad", std::string());
  const bool same = automatic.starts_with("SAME");
  w.input.assign(w.rank(), -1);
  for (size_t i = 0; i < w.rank(); ++i) {
    if (w.output[i] < 0) continue;
    const int64_t full = (w.output[i] - 1) * w.stride[i] + extra[i] + extent_of(w, i);
    w.input[i] = !wanted.empty() ? wanted[i] : same ? w.output[i] * w.stride[i] : full - w.pad_begin[i] - w.pad_end[i];
    if (!same && (wanted.empty() || w.pad_begin[i] != 0 || w.pad_end[i] != 0)) continue;
    // What is too much is cut off at both ends; an odd one at the begin, but for SAME_UPPER.
    const int64_t total = full - w.input[i];
    w.pad_begin[i] = automatic == "SAME_UPPER" ? total / 2 : total - total / 2;
    w.pad_end[i] = total - w.pad_begin[i];
  }
  for (size_t i = 0; i < w.rank(); ++i)
    if (w.input[i] == 0 || w.input[i] < -1 || w.stride[i] <= 0) return context.fail("the output would be empty");
  return {};
}

Status set_channels(const InferContext& context, Convolution& c, const Shape& x, const Shape& filter) {
  c.batch = x[c.axes.batch];
  c.input_channels = x[c.axes.channel];
  c.groups = get_or(context.node.attributes, "groups", int64_t{1});
  if (context.node.type == "DepthwiseConv2D") {
    c.groups = c.input_channels;
    // [multiplier, C, H, W] or HWC-multiplier; [C * multiplier, 1, H, W] is that of a grouped convolution.
    c.depthwise_filter = filter[c.filter_axes.input] != 1 || c.input_channels == 1;
    c.output_channels =
        c.depthwise_filter ? filter[c.filter_axes.output] * filter[c.filter_axes.input] : filter[c.filter_axes.output];
    return {};
  }
  if (c.groups <= 0) return context.fail("groups must be above 0");
  const int64_t in_group = filter[c.filter_axes.input], out = filter[c.filter_axes.output];
  c.output_channels = c.transposed ? in_group * c.groups : out;
  const int64_t expected = c.transposed ? out : in_group * c.groups;
  if (c.input_channels < 0) c.input_channels = expected;
  if (c.input_channels != expected)
    return context.fail(
        formatted("x has {} channels, the filter {} (in {} groups)", c.input_channels, expected, c.groups));
  if (out % c.groups != 0)
    return context.fail(formatted("{} channels of the filter do not divide into {} groups", out, c.groups));
  return {};
}

// What kernels read of the bias: a number for each channel.
Status check_bias(const InferContext& context, const Convolution& c) {
  if (!context.has(c.bias) || !is_known(context.shape(c.bias)) || c.output_channels < 0) return {};
  const Shape& bias = context.shape(c.bias);
  if (element_count(bias) == c.output_channels) return {};
  return context.fail(
      formatted("bias {} does not have a number for each of {} channels", to_text(bias), c.output_channels));
}

}  // namespace

Result<Convolution> read_convolution(const InferContext& context) {
  const Node& node = context.node;
  Convolution c;
  place_inputs(node.type, c);
  if (!context.has(c.x) || !context.has(c.filter)) return context.fail("x and filter must be connected");
  const Shape &x = context.shape(c.x), &filter = context.shape(c.filter);
  if (x.size() != filter.size() || (x.size() != 4 && x.size() != 5))
    return context.fail(formatted("x of shape {} and filter of shape {}: both must have 4 or both 5 dimensions",
                                  to_text(x), to_text(filter)));
  const std::string format = data_format(node, c.x, x.size() - 2);
  if (format.size() != x.size()) return context.fail(formatted("x of shape {} is not {}", to_text(x), format));
  c.axes = axes_of(format);
  c.filter_axes = filter_axes(filter_format(node, c.filter, format));
  TRY(set_channels(context, c, x, filter));
  TRY(check_bias(context, c));
  TRY(c.transposed ? place_transposed(context, c, x, filter) : place(context, c, x, filter));
  c.output_shape = shape_with(c.axes, c.batch, c.output_channels, c.transposed ? c.window.input : c.window.output);
  return c;
}

}  // namespace belay::graph
