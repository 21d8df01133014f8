// SPDX-License-Identifier: Apache-2.0
// Whole aclnn calls that lay the windows of an image out as columns, and add them up again: Im2col, Im2colBackward.
#include "backend/cpu/arguments.h"
#include "backend/cpu/element.h"
#include "backend/cpu/linear/grid_gradients.h"
#include "backend/cpu/linear/separable.h"
#include "backend/cpu/linear/window_gradients.h"
#include "backend/cpu/rows.h"
#include "backend/cpu/whole_call.h"
#include "base/text.h"
#include "base/threads/parallel.h"

namespace belay::backend::cpu {
namespace {

// The windows of an image of `height` by `width`, [0] down and [1] across.
struct Windows {
  int64_t images, channels, height, width, kernel[2], dilation[2], padding[2], stride[2], count[2];

  int64_t row(int64_t window, int64_t i) const { return window * stride[0] - padding[0] + i * dilation[0]; }
  int64_t column(int64_t window, int64_t j) const { return window * stride[1] - padding[1] + j * dilation[1]; }
  bool inside(int64_t y, int64_t x) const { return y >= 0 && y < height && x >= 0 && x < width; }

  static Result<Windows> of(const WholeCall& call, const Shape& image) {
    if (image.size() != 3 && image.size() != 4)
      return refuse(formatted("an image of shape {} does not have 3 or 4 dimensions", graph::to_text(image)));
    Windows made{image.size() == 4 ? image[0] : 1, image.end()[-3], image.end()[-2], image.end()[-1]};
    const auto take = [&](const char* name, int64_t(&to)[2], int64_t least) -> Status {
      const auto given = call.ints(name);
      if (given.size() != 2) return refuse(formatted("{} must have 2 elements", name));
      for (size_t i = 0; i < 2; ++i)
        if ((to[i] = given[i]) < least)
          return refuse(formatted("{} is {}; it must be {} or more", name, given[i], least));
      return {};
    };
    TRY(take("kernelSize", made.kernel, 1));
    TRY(take("dilation", made.dilation, 1));
    TRY(take("padding", made.padding, 0));
    TRY(take("stride", made.stride, 1));
    for (size_t i = 0; i < 2; ++i) {
      const int64_t size = i ? made.width : made.height;
      const int64_t room = size + 2 * made.padding[i] - made.dilation[i] * (made.kernel[i] - 1) - 1;
      if (room < 0) return refuse(formatted("an image of shape {} is smaller than a window", graph::to_text(image)));
      made.count[i] = room / made.stride[i] + 1;
    }
    return made;
  }
  Shape columns(bool batched) const {
    Shape made{channels * kernel[0] * kernel[1], count[0] * count[1]};
    if (batched) made.insert(made.begin(), images);
    return made;
  }
};

template <class T>
void lay_out(const Windows& w, const T* image, T* columns) {
  const int64_t spread = w.kernel[0] * w.kernel[1], places = w.count[0] * w.count[1];
  parallel_for(w.images * w.channels * spread, 16, [&](int64_t begin, int64_t end) {
    for (int64_t line = begin; line < end; ++line) {
      const T* plane = image + line / spread * w.height * w.width;
      const int64_t i = line % spread / w.kernel[1], j = line % w.kernel[1];
      T* to = columns + line * places;
      for (int64_t a = 0; a < w.count[0]; ++a)
        for (int64_t b = 0; b < w.count[1]; ++b, ++to) {
          const int64_t y = w.row(a, i), x = w.column(b, j);
          *to = w.inside(y, x) ? plane[y * w.width + x] : T{};
        }
    }
  });
}

template <class T>
void add_up(const Windows& w, const T* columns, T* image) {
  const int64_t spread = w.kernel[0] * w.kernel[1], places = w.count[0] * w.count[1];
  parallel_for(w.images * w.channels, 1, [&](int64_t begin, int64_t end) {
    std::vector<sum_t<T>> sums(static_cast<size_t>(w.height * w.width));
    for (int64_t plane = begin; plane < end; ++plane) {
      std::fill(sums.begin(), sums.end(), sum_t<T>(0));
      for (int64_t k = 0; k < spread; ++k) {
        const T* from = columns + (plane * spread + k) * places;
        for (int64_t a = 0; a < w.count[0]; ++a)
          for (int64_t b = 0; b < w.count[1]; ++b, ++from) {
            const int64_t y = w.row(a, k / w.kernel[1]), x = w.column(b, k % w.kernel[1]);
            if (w.inside(y, x)) sums[static_cast<size_t>(y * w.width + x)] += compute_t<T>(*from);
          }
      }
      for (size_t i = 0; i < sums.size(); ++i)
        image[plane * w.height * w.width + static_cast<int64_t>(i)] = T(static_cast<compute_t<T>>(sums[i]));
    }
  });
}

MadeKernel make_im2col(const KernelRequest& request) {
  const WholeCall call(request);
  const auto &x = call.info(call.even_empty("x")), &y = call.result(0);
  const Windows windows = TRY(Windows::of(call, x.shape));
  const Shape wanted = windows.columns(x.shape.size() == 4);
  if (y.type != x.type || y.shape != wanted)
    return refuse(formatted("out is {} {}; it must be {} {}", graph::name_of(y.type), graph::to_text(y.shape),
                            graph::name_of(x.type), graph::to_text(wanted)));
  return with_type(SizeTypes{},
                   TRY(element_bytes(x.type)) == 1   ? DataType::UInt8
                   : TRY(element_bytes(x.type)) == 2 ? DataType::UInt16
                   : TRY(element_bytes(x.type)) == 4 ? DataType::UInt32
                                                     : DataType::UInt64,
                   [&]<class T>() -> MadeKernel {
                     return function_kernel([windows](Inputs in, Outputs out) -> Status {
                       lay_out(windows, in[0].as<T>(), out[0].as<T>());
                       return {};
                     });
                   });
}

MadeKernel make_col2im(const KernelRequest& request) {
  const WholeCall call(request);
  const auto &x = call.info(call.even_empty("x")), &y = call.result(0);
  const auto size = call.ints("inputSize");
  if (size.size() != 2 || y.shape.size() < 3 || y.shape.end()[-2] != size[0] || y.shape.back() != size[1])
    return refuse(formatted("inputSize is {}; out has shape {}", graph::to_text(size), graph::to_text(y.shape)));
  const Windows windows = TRY(Windows::of(call, y.shape));
  const Shape wanted = windows.columns(y.shape.size() == 4);
  if (y.type != x.type || x.shape != wanted)
    return refuse(formatted("gradOutput is {} {}; it must be {} {}", graph::name_of(x.type), graph::to_text(x.shape),
                            graph::name_of(y.type), graph::to_text(wanted)));
  return with_type(FloatTypes{}, x.type, [&]<class T>() -> MadeKernel {
    return function_kernel([windows](Inputs in, Outputs out) -> Status {
      add_up(windows, in[0].as<T>(), out[0].as<T>());
      return {};
    });
  });
}

constexpr KernelRow rows[] = {
    {"AclnnAveragePoolGrad", "reference", make_average_pool_grad},
    {"AclnnCol2im", "reference", make_col2im},
    {"AclnnConvolutionGrad", "reference", make_convolution_grad},
    {"AclnnEmbeddingGrad", "reference", make_embedding_grad},
    {"AclnnGridSampleGrad", "reference", make_grid_sample_grad},
    {"AclnnGroupNormGrad", "reference", make_group_norm_grad},
    {"AclnnIm2col", "reference", make_im2col},
    {"AclnnIndexedPoolGrad", "reference", make_indexed_pool_grad},
    {"AclnnResizeGrad", "reference", make_resize_grad},
    {"AclnnSeparable", "reference", make_separable},
    {"AclnnSeparableGrad", "reference", make_separable_grad},
};

}  // namespace

std::span<const KernelRow> columns_rows() { return rows; }

}  // namespace belay::backend::cpu
