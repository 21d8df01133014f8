// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "graph/infer/window.h"

namespace belay::backend::cpu {

using Triple = std::array<int64_t, 3>;

// A window over depth, height and width; spatial dimensions that a tensor does not have count as 1.
struct Volume {
  explicit Volume(const graph::Window& window)
      : input(filled(window.input, 1)),
        output(filled(window.output, 1)),
        kernel(filled(window.kernel, 1)),
        stride(filled(window.stride, 1)),
        dilation(filled(window.dilation, 1)),
        pad_begin(filled(window.pad_begin, 0)),
        pad_end(filled(window.pad_end, 0)) {}

  static Triple filled(const std::vector<int64_t>& last, int64_t missing) {
    Triple all{missing, missing, missing};
    for (size_t i = 0; i < last.size(); ++i) all[3 - last.size() + i] = last[i];
    return all;
  }

  Triple input, output, kernel, stride, dilation, pad_begin, pad_end;
};

// Strides of a tensor's batch, channel and spatial dimensions, whatever their order.
struct VolumeStrides {
  VolumeStrides(const graph::Shape& strides, const graph::TensorAxes& axes)
      : batch(strides[axes.batch]), channel(strides[axes.channel]) {
    for (size_t i = 0; i < axes.spatial.size(); ++i) spatial[3 - axes.spatial.size() + i] = strides[axes.spatial[i]];
  }
  int64_t batch, channel;
  Triple spatial{0, 0, 0};

  int64_t at(const Triple& p) const { return p[0] * spatial[0] + p[1] * spatial[1] + p[2] * spatial[2]; }
};

// Calls f(position) for each place of a box.
template <class F>
void for_each_place(const Triple& size, const F& f) {
  for (int64_t d = 0; d < size[0]; ++d)
    for (int64_t h = 0; h < size[1]; ++h)
      for (int64_t w = 0; w < size[2]; ++w) f(Triple{d, h, w});
}

}  // namespace belay::backend::cpu
