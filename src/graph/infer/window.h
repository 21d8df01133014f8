// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "graph/infer/infer.h"

// The geometry of convolutions and poolings, read from a node's attributes: what the shape rules and the kernels share.
// Spatial quantities are in the order depth, height, width; an unknown dimension (-1) stays unknown.
namespace belay::graph {

// Which dimensions of a tensor are its batch, its channels and its spatial ones.
struct TensorAxes {
  size_t batch = 0, channel = 1;
  std::vector<size_t> spatial;
};
// Of a format such as "NCHW", "NHWC", "NCDHW" or "NDHWC".
TensorAxes axes_of(std::string_view data_format);
// The format of a node's first input: as its descriptor says, else the attribute data_format.
std::string data_format_of(const Node& node, std::string_view fallback);

// One window moved over the spatial dimensions.
struct Window {
  std::vector<int64_t> kernel, stride, dilation, pad_begin, pad_end;
  std::vector<int64_t> input, output;  // spatial sizes
  size_t rank() const { return kernel.size(); }
};

// The spatial members of an attribute that has one value per dimension, per spatial dimension, or for all.
std::vector<int64_t> spatial_of(const std::vector<int64_t>& list, const TensorAxes& axes, int64_t fallback);
// Pads from [begin, end, begin, end...] by spatial dimension; or from one number for each, which is for both sides.
void set_pads(Window& window, const std::vector<int64_t>& pads);
// Pads so that the output has ceil(input / stride) places; an odd one goes to the end unless `more_at_begin`.
void pad_to_same(Window& window, bool more_at_begin);
// Elements that the window spans.
int64_t extent_of(const Window& window, size_t dimension);
// Computes `output`; false when the window does not fit or a stride is not positive.
bool place_window(Window& window, bool ceil_mode);
Shape shape_with(const TensorAxes& axes, int64_t batch, int64_t channels, const std::vector<int64_t>& spatial);

struct Pooling {
  TensorAxes axes;
  Window window;
  Shape output_shape;
};
// Any of MaxPool, MaxPoolV3, AvgPool, AvgPoolV2, MaxPool3D, AvgPool3D, Pooling, MaxPoolWithArgmaxV3...
Result<Pooling> read_pooling(const InferContext& context);

}  // namespace belay::graph
