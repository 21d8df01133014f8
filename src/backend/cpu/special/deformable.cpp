// SPDX-License-Identifier: Apache-2.0
// Convolution whose taps are moved by offsets, as the device's operators have it: DeformableOffsets samples the taps,
// DeformableConv2D also adds them up. Offsets hold all x, then all y, then all factors, each for the groups and taps.
#include "backend/cpu/special/deformable.h"

#include <cmath>

#include "backend/cpu/convert_element.h"
#include "backend/cpu/function_kernel.h"
#include "base/text.h"
#include "base/threads/parallel.h"
#include "graph/infer/arguments.h"

namespace belay::backend::cpu {
namespace {

// A tensor of four dimensions, in NCHW or NHWC.
struct Image {
  int64_t n, c, h, w;
  bool last;

  static Image of(const Shape& shape, bool last) {
    return last ? Image{shape[0], shape[3], shape[1], shape[2], true}
                : Image{shape[0], shape[1], shape[2], shape[3], false};
  }
  int64_t at(int64_t b, int64_t channel, int64_t y, int64_t x) const {
    return last ? ((b * h + y) * w + x) * c + channel : ((b * c + channel) * h + y) * w + x;
  }
};

struct Deformable {
  Image x, offsets, y;
  int64_t kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w, top, left, offset_groups;
  bool modulated;

  int64_t taps() const { return kernel_h * kernel_w; }
  bool fits() const {
    const int64_t each = offset_groups * taps();
    return offset_groups > 0 && x.c % offset_groups == 0 && offsets.n == x.n &&
           (offsets.c == 3 * each || (!modulated && offsets.c == 2 * each));
  }

  // Tap k of channel c at a place of the offsets: bilinear, 0 outside.
  template <class T>
  double sample(Inputs in, size_t from, int64_t b, int64_t c, int64_t i, int64_t j, int64_t k) const {
    const int64_t each = offset_groups * taps(), at = c / (x.c / offset_groups) * taps() + k;
    const auto number = [&](int64_t kind) {
      return static_cast<double>(compute_t<T>(in[from].as<T>()[offsets.at(b, kind * each + at, i, j)]));
    };
    const double column = static_cast<double>(j * stride_w - left + k % kernel_w * dilation_w) + number(0);
    const double row = static_cast<double>(i * stride_h - top + k / kernel_w * dilation_h) + number(1);
    const double factor = modulated ? number(2) : 1;
    if (!(row > -1 && column > -1 && row < static_cast<double>(x.h) && column < static_cast<double>(x.w))) return 0;
    const auto up = static_cast<int64_t>(std::floor(row)), before = static_cast<int64_t>(std::floor(column));
    const double fy = row - static_cast<double>(up), fx = column - static_cast<double>(before);
    const auto pixel = [&](int64_t r, int64_t s) {
      const bool inside = r >= 0 && r < x.h && s >= 0 && s < x.w;
      return inside ? static_cast<double>(compute_t<T>(in[0].as<T>()[x.at(b, c, r, s)])) : 0.0;
    };
    return factor * ((1 - fy) * ((1 - fx) * pixel(up, before) + fx * pixel(up, before + 1)) +
                     fy * ((1 - fx) * pixel(up + 1, before) + fx * pixel(up + 1, before + 1)));
  }
};

Result<Deformable> read(const KernelRequest& request, size_t offsets, int64_t kernel_h, int64_t kernel_w) {
  const graph::Node& node = request.node;
  const std::string format = graph::text_of(node, "data_format", "NHWC");
  if (format != "NHWC" && format != "NCHW") return refuse(formatted("data_format {} is not NHWC or NCHW", format));
  const bool last = format == "NHWC";
  const auto strides = graph::ints_of(node, "strides"), pads = graph::ints_of(node, "pads");
  auto dilations = graph::ints_of(node, "dilations");
  if (dilations.empty()) dilations.assign(4, 1);
  if (strides.size() != 4 || pads.size() != 4 || dilations.size() != 4)
    return refuse("strides, pads and dilations need 4 numbers each");
  for (const size_t i : {size_t{0}, offsets})
    if (request.inputs[i].shape.size() != 4) return refuse("x and offsets must have 4 dimensions");
  const size_t h = last ? 1 : 2, w = last ? 2 : 3;
  Deformable made{Image::of(request.inputs[0].shape, last),
                  Image::of(request.inputs[offsets].shape, last),
                  Image::of(request.outputs[0].shape, last),
                  kernel_h,
                  kernel_w,
                  strides[h],
                  strides[w],
                  dilations[h],
                  dilations[w],
                  pads[0],
                  pads[2],
                  graph::int_of(node, "deformable_groups", 1),
                  graph::flag_of(node, "modulated", true)};
  if (!made.fits())
    return refuse(formatted("offsets of {} do not fit x of {} with {} taps",
                            graph::to_text(request.inputs[offsets].shape), graph::to_text(request.inputs[0].shape),
                            made.taps()));
  for (const auto& input : request.inputs)
    if (input.present && input.type != request.inputs[0].type) return refuse("all inputs must have one type");
  return made;
}

}  // namespace

// Each place of the result has its taps beside one another, in as many rows and columns as the kernel.
MadeKernel make_deformable_offsets(const KernelRequest& request) {
  const auto kernel = graph::ints_of(request.node, "ksize");
  if (kernel.size() != 2) return refuse("ksize needs 2 numbers");
  const Deformable d = TRY(read(request, 1, kernel[0], kernel[1]));
  if (d.y.h != d.offsets.h * d.kernel_h || d.y.w != d.offsets.w * d.kernel_w || d.y.c != d.x.c)
    return refuse("y must have the taps of each place of offsets");
  return with_type(FloatTypes{}, request.inputs[0].type, [&]<class T>() -> MadeKernel {
    return function_kernel([d](Inputs in, Outputs out) -> Status {
      parallel_for(d.y.n * d.y.h, 1, [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row)
          for (int64_t column = 0; column < d.y.w; ++column)
            for (int64_t c = 0; c < d.y.c; ++c) {
              const int64_t b = row / d.y.h, r = row % d.y.h;
              const int64_t k = r % d.kernel_h * d.kernel_w + column % d.kernel_w;
              out[0].as<T>()[d.y.at(b, c, r, column)] =
                  convert_element<T>(d.sample<T>(in, 1, b, c, r / d.kernel_h, column / d.kernel_w, k));
            }
      });
      return {};
    });
  });
}

// Filters are [out, in, h, w] with NCHW and [h, w, in, out] with NHWC.
MadeKernel make_deformable_convolution(const KernelRequest& request) {
  const Shape& filter = request.inputs[1].shape;
  if (filter.size() != 4) return refuse("filter must have 4 dimensions");
  const bool last = graph::text_of(request.node, "data_format", "NHWC") == "NHWC";
  const int64_t h = filter[last ? 0 : 2], w = filter[last ? 1 : 3], in_each = filter[last ? 2 : 1],
                filters = filter[last ? 3 : 0];
  const int64_t groups = graph::int_of(request.node, "groups", 1);
  const Deformable d = TRY(read(request, 2, h, w));
  if (groups < 1 || d.x.c != in_each * groups || filters % groups != 0 || d.y.c != filters || d.y.h != d.offsets.h ||
      d.y.w != d.offsets.w)
    return refuse("channels, filters and groups do not fit together");
  const bool biased = request.inputs.size() > 3 && request.inputs[3].present;
  if (biased && graph::element_count(request.inputs[3].shape) != filters)
    return refuse(formatted("bias must have {} elements", filters));
  return with_type(FloatTypes{}, request.inputs[0].type, [&]<class T>() -> MadeKernel {
    return function_kernel([=](Inputs in, Outputs out) -> Status {
      parallel_for(d.y.n * d.y.h, 1, [&](int64_t begin, int64_t end) {
        std::vector<double> taps(static_cast<size_t>(d.x.c * d.taps()));
        for (int64_t row = begin; row < end; ++row)
          for (int64_t j = 0; j < d.y.w; ++j) {
            const int64_t b = row / d.y.h, i = row % d.y.h;
            for (int64_t c = 0; c < d.x.c; ++c)
              for (int64_t k = 0; k < d.taps(); ++k)
                taps[static_cast<size_t>(c * d.taps() + k)] = d.sample<T>(in, 2, b, c, i, j, k);
            for (int64_t f = 0; f < filters; ++f) {
              double sum = biased ? static_cast<double>(compute_t<T>(in[3].as<T>()[f])) : 0;
              const int64_t first = f / (filters / groups) * in_each;
              for (int64_t c = 0; c < in_each; ++c)
                for (int64_t k = 0; k < d.taps(); ++k) {
                  const int64_t at = last ? (k * in_each + c) * filters + f : (f * in_each + c) * d.taps() + k;
                  sum += static_cast<double>(compute_t<T>(in[1].as<T>()[at])) *
                         taps[static_cast<size_t>((first + c) * d.taps() + k)];
                }
              out[0].as<T>()[d.y.at(b, f, i, j)] = convert_element<T>(sum);
            }
          }
      });
      return {};
    });
  });
}

}  // namespace belay::backend::cpu
