// SPDX-License-Identifier: Apache-2.0
#include "graph/infer/window.h"

#include <algorithm>

#include "base/text.h"

namespace belay::graph {

TensorAxes axes_of(std::string_view data_format) {
  TensorAxes axes;
  for (size_t d = 0; d < data_format.size(); ++d) {
    if (data_format[d] == 'N')
      axes.batch = d;
    else if (data_format[d] == 'C')
      axes.channel = d;
    else
      axes.spatial.push_back(d);
  }
  return axes;
}

std::vector<int64_t> spatial_of(const std::vector<int64_t>& list, const TensorAxes& axes, int64_t fallback) {
  const size_t rank = axes.spatial.size();
  if (list.size() == rank) return list;
  std::vector<int64_t> values(rank, fallback);
  if (list.size() == rank + 2)
    for (size_t i = 0; i < rank; ++i) values[i] = list[axes.spatial[i]];
  else if (list.size() == 1)
    std::fill(values.begin(), values.end(), list[0]);
  return values;
}

std::string data_format_of(const Node& node, std::string_view fallback) {
  if (!node.input_descs.empty()) {
    for (const Format format : {node.input_descs[0].origin_format, node.input_descs[0].format}) {
      if (format == Format::NCHW || format == Format::NHWC || format == Format::NCDHW || format == Format::NDHWC)
        return std::string(name_of(format));
    }
  }
  return get_or(node.attributes, "data_format", std::string(fallback));
}

namespace {

int64_t padded_total(int64_t input, int64_t stride, int64_t extent) {
  const int64_t output = (input + stride - 1) / stride;
  return std::max<int64_t>((output - 1) * stride + extent - input, 0);
}

}  // namespace

void set_pads(Window& window, const std::vector<int64_t>& pads) {
  window.pad_begin.assign(window.rank(), 0);
  window.pad_end.assign(window.rank(), 0);
  if (pads.size() == window.rank()) window.pad_begin = window.pad_end = pads;
  if (pads.size() == window.rank()) return;
  for (size_t i = 0; i < window.rank() && 2 * i + 1 < pads.size(); ++i) {
    window.pad_begin[i] = pads[2 * i];
    window.pad_end[i] = pads[2 * i + 1];
  }
}

int64_t extent_of(const Window& window, size_t i) { return (window.kernel[i] - 1) * window.dilation[i] + 1; }

void pad_to_same(Window& window, bool more_at_begin) {
  for (size_t i = 0; i < window.rank(); ++i) {
    if (window.input[i] < 0) continue;
    const int64_t total = padded_total(window.input[i], window.stride[i], extent_of(window, i));
    window.pad_begin[i] = more_at_begin ? total - total / 2 : total / 2;
    window.pad_end[i] = total - window.pad_begin[i];
  }
}

bool place_window(Window& window, bool ceil_mode) {
  window.output.assign(window.rank(), -1);
  for (size_t i = 0; i < window.rank(); ++i) {
    if (window.stride[i] <= 0 || window.kernel[i] <= 0 || window.dilation[i] <= 0) return false;
    if (window.input[i] < 0) continue;
    const int64_t room = window.input[i] + window.pad_begin[i] + window.pad_end[i] - extent_of(window, i);
    if (room < 0 && !(ceil_mode && room + window.stride[i] > 0)) return false;
    int64_t steps = ceil_mode ? (room + window.stride[i] - 1) / window.stride[i] : room / window.stride[i];
    // A window that would start in the padding at the end is left out.
    if (ceil_mode && steps * window.stride[i] >= window.input[i] + window.pad_begin[i]) --steps;
    window.output[i] = steps + 1;
  }
  return true;
}

Shape shape_with(const TensorAxes& axes, int64_t batch, int64_t channels, const std::vector<int64_t>& spatial) {
  Shape shape(spatial.size() + 2);
  shape[axes.batch] = batch;
  shape[axes.channel] = channels;
  for (size_t i = 0; i < spatial.size(); ++i) shape[axes.spatial[i]] = spatial[i];
  return shape;
}

}  // namespace belay::graph
