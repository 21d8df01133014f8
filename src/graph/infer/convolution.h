// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/infer/window.h"

namespace belay::graph {

// Which dimensions of a filter are its output channels, its input channels (of one group) and its spatial ones.
struct FilterAxes {
  size_t output = 0, input = 1;
  std::vector<size_t> spatial;
};

// The geometry of a convolution. Of a transposed one the window moves over the output: `window.input` is the size of
// y, `window.output` that of x; the filter's output channels are x's channels, and its input channels y's in a group.
struct Convolution {
  TensorAxes axes;
  FilterAxes filter_axes;
  // The filter has the channel and its multiplier where others have input and output channels.
  bool depthwise_filter = false;
  bool transposed = false;
  Window window;
  int64_t batch = -1, groups = 1;
  int64_t input_channels = -1, output_channels = -1;  // of x and y
  Shape output_shape;
  size_t x = 0, filter = 1, bias = 2, offset = 3;  // positions of the inputs
};

// Conv2D, Conv3D, DepthwiseConv2D, and the transposed ones: Conv2DTranspose, Conv3DTranspose, Conv2DBackpropInput, the
// forms with D, Deconvolution.
Result<Convolution> read_convolution(const InferContext& context);

}  // namespace belay::graph
