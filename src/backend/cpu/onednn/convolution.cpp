// SPDX-License-Identifier: Apache-2.0
#include "graph/convolution.h"

#include <algorithm>

#include "backend/cpu/broadcast.h"
#include "backend/cpu/fast_rows.h"
#include "backend/cpu/onednn/chain_kernel.h"

namespace belay::backend::cpu {
namespace {

using namespace onednn;
using graph::Convolution;

// A convolution in oneDNN's words. Dimensions are batch, channels, space, whatever the order in memory.
struct Geometry {
  Dims x, y, weights, stride, dilation, pad_begin, pad_end;
  Dims weight_strides;
};

Dims in_order(const Shape& shape, const graph::TensorAxes& axes) {
  Dims dims = {shape[axes.batch], shape[axes.channel]};
  for (const size_t axis : axes.spatial) dims.push_back(shape[axis]);
  return dims;
}

// The weights as groups × outputs × inputs × space.
void read_weights(const Convolution& c, const Shape& filter, Geometry& g) {
  const Shape strides = row_major_strides(filter);
  const int64_t outputs = c.output_channels / c.groups, inputs = c.input_channels / c.groups;
  const int64_t along_output = strides[c.filter_axes.output], along_input = strides[c.filter_axes.input];
  g.weights = {c.groups, outputs, inputs};
  if (c.depthwise_filter)
    g.weight_strides = {along_input, along_output, along_input};
  else if (c.transposed)  // the filter's output channels are x's
    g.weight_strides = {inputs * along_output, along_input, along_output};
  else
    g.weight_strides = {outputs * along_output, along_output, along_input};
  for (const size_t axis : c.filter_axes.spatial) {
    g.weights.push_back(filter[axis]);
    g.weight_strides.push_back(strides[axis]);
  }
  if (c.groups > 1) return;
  g.weights.erase(g.weights.begin());
  g.weight_strides.erase(g.weight_strides.begin());
}

Geometry read_geometry(const Convolution& c, const Shape& x, const Shape& filter, const Shape& y) {
  Geometry g;
  g.x = in_order(x, c.axes);
  g.y = in_order(y, c.axes);
  read_weights(c, filter, g);
  const Dims& over = c.transposed ? g.y : g.x;    // what the window moves over
  const Dims& places = c.transposed ? g.x : g.y;  // where it stops
  for (size_t i = 0; i < c.window.rank(); ++i) {
    const int64_t extent = (c.window.kernel[i] - 1) * c.window.dilation[i] + 1;
    g.stride.push_back(c.window.stride[i]);
    g.dilation.push_back(c.window.dilation[i] - 1);
    g.pad_begin.push_back(c.window.pad_begin[i]);
    g.pad_end.push_back((places[i + 2] - 1) * c.window.stride[i] + extent - over[i + 2] - c.window.pad_begin[i]);
  }
  return g;
}

Status check(const Chain& chain, const Convolution& c, const KernelRequest& request) {
  if (request.outputs[0].type != DataType::Float) return refuse("only float");
  for (const size_t port : {c.x, c.filter, c.bias})
    if (port < chain.infos.size() && chain.infos[port].present && chain.infos[port].type != DataType::Float)
      return refuse("only float");
  if (c.offset < chain.infos.size() && chain.infos[c.offset].present) return refuse("offset_w is not supported");
  for (const auto* shape : {&chain.infos[c.x].shape, &chain.infos[c.filter].shape, &request.outputs[0].shape})
    if (graph::element_count(*shape) == 0) return refuse("an empty tensor");
  return {};
}

// The primitive for these orders of x and y.
template <class Primitive>
auto describe(const Geometry& g, const Desc& x, const Desc& weights, const Desc& bias, const Desc& y,
              const dnnl::post_ops& post) {
  constexpr bool transposed = std::is_same_v<Primitive, dnnl::deconvolution_forward>;
  constexpr auto direct = transposed ? dnnl::algorithm::deconvolution_direct : dnnl::algorithm::convolution_direct;
  const typename Primitive::desc desc(dnnl::prop_kind::forward_inference, direct, x, weights, bias, y, g.stride,
                                      g.dilation, g.pad_begin, g.pad_end);
  return typename Primitive::primitive_desc(desc, with_scratch(post), engine());
}

// Channels last in the shape itself (NHWC): then only that order is used, and it is Plain to us.
Desc plain_desc(const Shape& shape, const graph::TensorAxes& axes) {
  return strided(in_order(shape, axes), in_order(row_major_strides(shape), axes));
}

template <class Primitive>
MadeKernel make_as(const KernelRequest& request, const Chain& chain, const Convolution& c) {
  const Shape &x_shape = chain.infos[c.x].shape, &y_shape = request.outputs[0].shape;
  const Geometry g = read_geometry(c, x_shape, chain.infos[c.filter].shape, y_shape);
  const bool free_order = c.axes.channel == 1;
  const bool has_bias = c.bias < chain.infos.size() && chain.infos[c.bias].present;
  const Desc bias = has_bias ? strided({c.output_channels}, {1}) : Desc();

  const auto free =
      describe<Primitive>(g, free_order ? any_order(g.x) : plain_desc(x_shape, c.axes), any_order(g.weights), bias,
                          free_order ? any_order(g.y) : plain_desc(y_shape, c.axes), post_ops_of(chain, true));
  const Desc x_desc = free.src_desc(), y_desc = free.dst_desc();
  const auto x_layout = free_order ? layout_of(x_desc, x_shape) : Layout::Plain;
  const auto y_layout = free_order ? layout_of(y_desc, y_shape) : Layout::Plain;
  if (!x_layout || !y_layout) return refuse("oneDNN needs an order of elements that is not supported here");

  ChainKernel::Parts parts;
  parts.make = [g, x_desc, y_desc, free, bias, chain](bool with_activation) {
    const auto desc =
        with_activation ? free
                        : describe<Primitive>(g, x_desc, free.weights_desc(), bias, y_desc, post_ops_of(chain, false));
    return Call(desc, Primitive(desc));
  };
  parts.weights_given = strided(g.weights, g.weight_strides);
  parts.weights_wanted = free.weights_desc();
  parts.weights_input = chain.ports[c.filter];
  if (const graph::Constant* filter = chain.infos[c.filter].value)
    parts.weights = TRY(pack(parts.weights_given, bytes_of(*filter), parts.weights_wanted));
  parts.sources.push_back({DNNL_ARG_SRC, chain.ports[c.x], x_desc, *x_layout});
  if (has_bias) parts.sources.push_back({DNNL_ARG_BIAS, chain.ports[c.bias], bias});
  parts.addend = chain.addend;
  parts.result = y_desc;
  parts.gives = *y_layout;
  parts.has_activation = !chain.activation.empty();
  return ChainKernel::make(std::move(parts));
}

MadeKernel make(const KernelRequest& request) {
  return making([&]() -> MadeKernel {
    const Chain chain = TRY(read_chain(request));
    const graph::InferContext context(*chain.head, chain.infos);
    const Convolution c = TRY(graph::read_convolution(context));
    TRY(check(chain, c, request));
    return c.transposed ? make_as<dnnl::deconvolution_forward>(request, chain, c)
                        : make_as<dnnl::convolution_forward>(request, chain, c);
  });
}

constexpr KernelRow rows[] = {
    {"Conv2D", "onednn", make},
    {"Conv2D", "fused onednn", make},
    {"Conv2DBackpropInput", "onednn", make},
    {"Conv2DBackpropInputD", "onednn", make},
    {"Conv2DTranspose", "onednn", make},
    {"Conv2DTransposeD", "onednn", make},
    {"Conv3D", "onednn", make},
    {"Conv3D", "fused onednn", make},
    {"Conv3DTranspose", "onednn", make},
    {"Conv3DTransposeD", "onednn", make},
    {"Deconvolution", "onednn", make},
    {"DepthwiseConv2D", "onednn", make},
};

}  // namespace

std::span<const KernelRow> onednn_convolution_rows() { return rows; }

}  // namespace belay::backend::cpu
