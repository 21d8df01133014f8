// SPDX-License-Identifier: Apache-2.0
// Matrices made from diagonals, and images put together from windows.
#include <algorithm>
#include <cstring>

#include "backend/cpu/arguments.h"
#include "backend/cpu/element.h"
#include "backend/cpu/elementwise/integer.h"
#include "backend/cpu/function_kernel.h"
#include "backend/cpu/grain.h"
#include "backend/cpu/move/strided_copy.h"
#include "backend/cpu/rows.h"
#include "base/text.h"
#include "base/threads/parallel.h"
#include "graph/infer/arguments.h"

namespace belay::backend::cpu {
namespace {

// Diagonals low..high of a matrix.
struct Band {
  int64_t low, high;
  bool right_above, right_below;  // whether short diagonals end where the longest does
};

// Puts the diagonals, the highest first in x, into matrices that hold `padding` elsewhere.
void write_band(const Band& band, size_t bytes, const void* padding, const Tensor& x, Tensor& y) {
  const size_t rank = y.shape.size();
  const int64_t height = y.shape[rank - 2], width = y.shape[rank - 1], longest = x.shape.back();
  const int64_t diagonals = band.high - band.low + 1;
  fill_elements(bytes, y.data, y.count(), padding);
  for (int64_t m = 0; m < product(y.shape, 0, rank - 2); ++m)
    for (int64_t k = band.low; k <= band.high; ++k) {
      const int64_t length = std::min(height + std::min<int64_t>(k, 0), width - std::max<int64_t>(k, 0));
      const bool right = k >= 0 ? band.right_above : band.right_below;
      const int64_t skip = right ? longest - length : 0;
      for (int64_t i = 0; i < length; ++i) {
        const int64_t row = i - std::min<int64_t>(k, 0), column = i + std::max<int64_t>(k, 0);
        const int64_t from = (m * diagonals + band.high - k) * longest + skip + i;
        if (skip + i < 0 || skip + i >= longest) continue;
        std::memcpy(y.as<std::byte>() + size_t((m * height + row) * width + column) * bytes,
                    x.as<std::byte>() + size_t(from) * bytes, bytes);
      }
    }
}

MadeKernel make_matrix_diag(const KernelRequest& request) {
  const size_t bytes = TRY(element_bytes(request.inputs[0].type));
  return function_kernel([=](Inputs in, Outputs out) -> Status {
    const std::byte zero[16] = {};
    write_band({0, 0, false, false}, bytes, zero, in[0], out[0]);
    return {};
  });
}

// diagonal, k, num_rows, num_cols, padding_value.
MadeKernel make_matrix_diag_v2(const KernelRequest& request) {
  const size_t bytes = TRY(element_bytes(request.inputs[0].type));
  const std::string align =
      request.node.type == "MatrixDiagV2" ? "LEFT_LEFT" : graph::text_of(request.node, "align", "RIGHT_LEFT");
  if (align != "LEFT_LEFT" && align != "LEFT_RIGHT" && align != "RIGHT_LEFT" && align != "RIGHT_RIGHT")
    return refuse(formatted("align {} is not known", align));
  const bool right_above = align.starts_with("RIGHT"), right_below = align.ends_with("RIGHT");
  return function_kernel([=, label = label_of(request.node)](Inputs in, Outputs out) -> Status {
    const auto k = TRY(integers(in[1]));
    if (k.empty() || k.front() > k.back())
      return failed(label, "k must be one diagonal, or the first and last of a band");
    const size_t rank = out[0].shape.size();
    const int64_t height = out[0].shape[rank - 2], width = out[0].shape[rank - 1];
    if (k.front() <= -std::max<int64_t>(1, height) || k.back() >= std::max<int64_t>(1, width))
      return failed(
          label, formatted("diagonals {} to {} are outside a matrix of {} by {}", k.front(), k.back(), height, width));
    if (out[0].count() == 0) return {};
    write_band({k.front(), k.back(), right_above, right_below}, bytes, in[4].data, in[0], out[0]);
    return {};
  });
}

MadeKernel make_eye(const KernelRequest& request) {
  return function_kernel([type = request.outputs[0].type](Inputs, Outputs out) -> Status {
    const size_t rank = out[0].shape.size();
    const int64_t height = out[0].shape[rank - 2], width = out[0].shape[rank - 1];
    return with_type(AllTypes{}, type, [&]<class T>() -> Status {
      for (int64_t i = 0, count = out[0].count(); i < count; ++i)
        out[0].as<T>()[i] = T(compute_t<T>(i / width % height == i % width));
      return {};
    });
  });
}

// How windows lie in an image of any number of dimensions.
struct Windows {
  std::vector<int64_t> image, kernel, dilation, before, stride, count;
};

// Adds the columns of one channel, [kernel, positions], to its image.
template <class T>
void add_windows(const Windows& w, const T* columns, sum_t<T>* image) {
  const size_t rank = w.image.size();
  const int64_t taps = product(w.kernel, 0, rank), positions = product(w.count, 0, rank);
  for (int64_t tap = 0; tap < taps; ++tap)
    for (int64_t position = 0; position < positions; ++position) {
      int64_t k = tap, p = position, at = 0, step = 1;
      bool inside = true;
      for (size_t d = rank; d-- > 0;) {
        const int64_t place = p % w.count[d] * w.stride[d] - w.before[d] + k % w.kernel[d] * w.dilation[d];
        inside = inside && place >= 0 && place < w.image[d];
        at += place * step;
        step *= w.image[d];
        k /= w.kernel[d];
        p /= w.count[d];
      }
      if (inside) image[at] = sum_of(image[at], sum_t<T>(columns[tap * positions + position]));
    }
}

// One number for each dimension; a single one stands for all.
std::vector<int64_t> spread(std::vector<int64_t> values, size_t rank, int64_t fallback) {
  if (values.empty()) values = {fallback};
  if (values.size() == 1) values.resize(rank, values[0]);
  return values;
}

struct Col2Im {
  std::string label;
  std::vector<int64_t> dilation, padding, stride;

  // The padding is one number for all sides, one for each dimension, or all befores and then all afters.
  Result<Windows> windows(std::vector<int64_t> image, std::vector<int64_t> kernel) const {
    const size_t rank = image.size();
    Windows w{image, kernel, spread(dilation, rank, 1), spread(padding, rank, 0), spread(stride, rank, 1), {}};
    std::vector<int64_t> after = w.before;
    if (w.before.size() == 2 * rank) {
      after.assign(w.before.begin() + int64_t(rank), w.before.end());
      w.before.resize(rank);
    }
    if (kernel.size() != rank || w.dilation.size() != rank || w.before.size() != rank || w.stride.size() != rank)
      return failed(label, "kernel, dilation, padding and stride must have a number for each dimension of the image");
    for (size_t d = 0; d < rank; ++d) {
      if (w.stride[d] < 1 || w.dilation[d] < 1 || kernel[d] < 1)
        return failed(label, "a stride, dilation or kernel is below 1");
      w.count.push_back((image[d] + w.before[d] + after[d] - w.dilation[d] * (kernel[d] - 1) - 1) / w.stride[d] + 1);
    }
    return w;
  }
};

MadeKernel make_col2im(const KernelRequest& request) {
  const auto& node = request.node;
  const Col2Im op{label_of(node), graph::ints_of(node, "dilation"), graph::ints_of(node, "padding"),
                  graph::ints_of(node, "stride")};
  return function_kernel([=, type = request.inputs[0].type](Inputs in, Outputs out) -> Status {
    const auto w = TRY(op.windows(TRY(integers(in[1])), TRY(integers(in[2]))));
    const int64_t planes = out[0].shape[0] * out[0].shape[1];
    const int64_t columns = product(w.kernel, 0, w.kernel.size()) * product(w.count, 0, w.count.size());
    const int64_t pixels = product(w.image, 0, w.image.size());
    if (planes * columns != in[0].count())
      return failed(op.label, formatted("x has {} elements, the windows {}", in[0].count(), planes * columns));
    return with_type(NumberTypes{}, type, [&]<class T>() -> Status {
      parallel_for(planes, grain_of(columns), [&](int64_t begin, int64_t end) {
        std::vector<sum_t<T>> image(static_cast<size_t>(pixels));
        for (int64_t plane = begin; plane < end; ++plane) {
          std::fill(image.begin(), image.end(), sum_t<T>(0));
          add_windows(w, in[0].as<T>() + plane * columns, image.data());
          for (int64_t i = 0; i < pixels; ++i) out[0].as<T>()[plane * pixels + i] = T(compute_t<T>(image[size_t(i)]));
        }
      });
      return {};
    });
  });
}

constexpr KernelRow rows[] = {
    {"MatrixDiag", "reference", make_matrix_diag},
    {"MatrixDiagV2", "reference", make_matrix_diag_v2},
    {"MatrixDiagV3", "reference", make_matrix_diag_v2},
    {"Eye", "reference", make_eye},
    {"Col2ImV2", "reference", make_col2im},
};

}  // namespace

std::span<const KernelRow> diagonal_rows() { return rows; }

}  // namespace belay::backend::cpu
