// SPDX-License-Identifier: Apache-2.0
// Convolution whose taps are moved by offsets: ONNX's DeformConv.
#include <cmath>

#include "backend/cpu/convert_element.h"
#include "backend/cpu/function_kernel.h"
#include "backend/cpu/grain.h"
#include "backend/cpu/rows.h"
#include "backend/cpu/special/deformable.h"
#include "base/threads/parallel.h"
#include "graph/infer/arguments.h"

namespace belay::backend::cpu {
namespace {

struct Geometry {
  int64_t batch, channels, height, width;  // of x
  int64_t filters, out_height, out_width;  // of y
  int64_t kernel_h, kernel_w, groups, offset_groups;
  int64_t stride_h, stride_w, dilation_h, dilation_w, top, left;
};

Result<Geometry> read_geometry(const KernelRequest& request) {
  const Shape &x = request.inputs[0].shape, &w = request.inputs[1].shape, &y = request.outputs[0].shape;
  if (x.size() != 4 || w.size() != 4 || y.size() != 4) return refuse("only two spatial dimensions are supported");
  const auto strides = graph::ints_of(request.node, "strides"), pads = graph::ints_of(request.node, "pads");
  const auto dilations = graph::ints_of(request.node, "dilations");
  if (strides.size() != 2 || pads.size() != 4 || dilations.size() != 2)
    return refuse("strides and dilations need 2 numbers, pads 4");
  Geometry g{x[0], x[1], x[2], x[3], w[0], y[2], y[3], w[2], w[3]};
  g.groups = graph::int_of(request.node, "groups", 1);
  g.offset_groups = graph::int_of(request.node, "offset_group", 1);
  g.stride_h = strides[0], g.stride_w = strides[1], g.dilation_h = dilations[0], g.dilation_w = dilations[1];
  g.top = pads[0], g.left = pads[1];
  if (g.groups < 1 || g.offset_groups < 1 || g.channels % g.groups || g.filters % g.groups ||
      g.channels % g.offset_groups || w[1] != g.channels / g.groups)
    return refuse("channels, filters and groups do not fit together");
  const int64_t taps = g.kernel_h * g.kernel_w * g.offset_groups;
  if (request.inputs[2].shape != Shape{x[0], 2 * taps, y[2], y[3]}) return refuse("offset has the wrong shape");
  if (request.inputs.size() > 4 && request.inputs[4].present &&
      request.inputs[4].shape != Shape{x[0], taps, y[2], y[3]})
    return refuse("mask has the wrong shape");
  return g;
}

// Bilinear; 0 outside.
template <class T>
double sample(const T* plane, int64_t height, int64_t width, double y, double x) {
  if (y <= -1 || x <= -1 || y >= static_cast<double>(height) || x >= static_cast<double>(width) || y != y || x != x)
    return 0;
  const auto top = static_cast<int64_t>(std::floor(y)), left = static_cast<int64_t>(std::floor(x));
  const double fy = y - static_cast<double>(top), fx = x - static_cast<double>(left);
  const auto at = [&](int64_t row, int64_t column) {
    const bool inside = row >= 0 && row < height && column >= 0 && column < width;
    return inside ? static_cast<double>(compute_t<T>(plane[row * width + column])) : 0.0;
  };
  return (1 - fy) * ((1 - fx) * at(top, left) + fx * at(top, left + 1)) +
         fy * ((1 - fx) * at(top + 1, left) + fx * at(top + 1, left + 1));
}

// All taps of one place of the result, in the order of a filter's weights.
template <class T>
void sample_taps(const Geometry& g, Inputs in, int64_t n, int64_t i, int64_t j, std::vector<double>& taps) {
  const int64_t places = g.out_height * g.out_width, kernel = g.kernel_h * g.kernel_w, place = i * g.out_width + j;
  const T* offsets = in[2].as<T>() + n * 2 * g.offset_groups * kernel * places;
  const T* masks = in.size() > 4 && in[4].present ? in[4].as<T>() + n * g.offset_groups * kernel * places : nullptr;
  for (int64_t c = 0; c < g.channels; ++c) {
    const T* plane = in[0].as<T>() + (n * g.channels + c) * g.height * g.width;
    const int64_t group = c / (g.channels / g.offset_groups);
    for (int64_t k = 0; k < kernel; ++k) {
      const T* offset = offsets + (group * kernel + k) * 2 * places + place;
      const double y = static_cast<double>(i * g.stride_h - g.top + k / g.kernel_w * g.dilation_h) +
                       static_cast<double>(compute_t<T>(offset[0]));
      const double x = static_cast<double>(j * g.stride_w - g.left + k % g.kernel_w * g.dilation_w) +
                       static_cast<double>(compute_t<T>(offset[places]));
      const double mask = masks ? static_cast<double>(compute_t<T>(masks[(group * kernel + k) * places + place])) : 1;
      taps[static_cast<size_t>(c * kernel + k)] = mask == 0 ? 0 : mask * sample(plane, g.height, g.width, y, x);
    }
  }
}

template <class T>
void convolve_place(const Geometry& g, Inputs in, const Tensor& y, int64_t n, int64_t i, int64_t j,
                    const std::vector<double>& taps) {
  const int64_t length = g.channels / g.groups * g.kernel_h * g.kernel_w;
  for (int64_t f = 0; f < g.filters; ++f) {
    const T* weights = in[1].as<T>() + f * length;
    const double* group = taps.data() + f / (g.filters / g.groups) * length;
    double sum = in.size() > 3 && in[3].present ? static_cast<double>(compute_t<T>(in[3].as<T>()[f])) : 0;
    for (int64_t k = 0; k < length; ++k) sum += static_cast<double>(compute_t<T>(weights[k])) * group[k];
    y.as<T>()[((n * g.filters + f) * g.out_height + i) * g.out_width + j] = convert_element<T>(sum);
  }
}

MadeKernel make_deform(const KernelRequest& request) {
  const Geometry g = TRY(read_geometry(request));
  for (const auto& input : request.inputs)
    if (input.present && input.type != request.inputs[0].type) return refuse("all inputs must have one type");
  return with_type(FloatTypes{}, request.inputs[0].type, [&]<class T>() -> MadeKernel {
    return function_kernel([g](Inputs in, Outputs out) -> Status {
      const int64_t taken = g.out_width * g.channels * g.kernel_h * g.kernel_w;
      parallel_for(g.batch * g.out_height, grain_of(taken), [&](int64_t begin, int64_t end) {
        std::vector<double> taps(static_cast<size_t>(g.channels * g.kernel_h * g.kernel_w));
        for (int64_t row = begin; row < end; ++row)
          for (int64_t j = 0; j < g.out_width; ++j) {
            sample_taps<T>(g, in, row / g.out_height, row % g.out_height, j, taps);
            convolve_place<T>(g, in, out[0], row / g.out_height, row % g.out_height, j, taps);
          }
      });
      return {};
    });
  });
}

constexpr KernelRow rows[] = {{"DeformConv", "reference", make_deform},
                              {"DeformableConv2D", "reference", make_deformable_convolution},
                              {"DeformableOffsets", "reference", make_deformable_offsets}};

}  // namespace

std::span<const KernelRow> deform_rows() { return rows; }

}  // namespace belay::backend::cpu
