// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "convert/map/node_context.h"

namespace belay::convert {

// Of kernels, strides, dilations and paddings; larger ones are mistakes, and sums of them would overflow.
constexpr int64_t kLargestWindow = int64_t{1} << 24;

// The window of a convolution or pooling, one entry per spatial dimension.
struct Window {
  std::vector<int64_t> kernel, strides, dilations, begin, end;
  std::string auto_pad;  // NOTSET once begin and end are right

  size_t rank() const { return kernel.size(); }
  // A window of rank 1 as one of rank 2, with a dimension of size 1 put in at `axis` (0 or 1).
  Window widened(size_t axis) const;
  // [1, 1, a, b...]: GE's lists also have the batch and the channels.
  static std::vector<int64_t> with_batch(const std::vector<int64_t>& values);
  // [begin 0, end 0, begin 1, end 1...], as GE writes them.
  std::vector<int64_t> pads() const;
};

// Reads kernel_shape (or takes `kernel`, of the filter), strides, dilations, pads and auto_pad. SAME becomes numbers
// when the sizes of input 0 are known; else auto_pad stays.
Result<Window> read_window(const NodeContext& c, std::vector<int64_t> kernel);

}  // namespace belay::convert
