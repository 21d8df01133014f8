// SPDX-License-Identifier: Apache-2.0
// Images sampled where a grid says.
#include <algorithm>
#include <array>
#include <utility>

#include "backend/cpu/arguments.h"
#include "backend/cpu/element.h"
#include "backend/cpu/function_kernel.h"
#include "backend/cpu/rows.h"
#include "backend/cpu/vision/bilinear.h"
#include "backend/cpu/vision/grid_taps.h"
#include "base/threads/parallel.h"
#include "graph/infer/arguments.h"

namespace belay::backend::cpu {
namespace {

// The elements of a plane that make a sample: the taps of all dimensions together.
struct Mix {
  std::array<int64_t, 64> offset;
  std::array<double, 64> weight;
  size_t count;
};

void mix_taps(std::span<const GridTaps> taps, const int64_t* sizes, Mix& mix) {
  mix.offset[0] = 0;
  mix.weight[0] = 1;
  mix.count = 1;
  for (size_t d = 0; d < taps.size(); ++d) {
    std::array<int64_t, 16> offset;  // of the dimensions before
    std::array<double, 16> weight;
    const size_t count = std::exchange(mix.count, 0);
    std::copy_n(mix.offset.begin(), count, offset.begin());
    std::copy_n(mix.weight.begin(), count, weight.begin());
    for (size_t i = 0; i < count; ++i)
      for (int k = 0; k < taps[d].count; ++k) {
        if (taps[d].index[size_t(k)] < 0) continue;
        mix.offset[mix.count] = offset[i] * sizes[d] + taps[d].index[size_t(k)];
        mix.weight[mix.count++] = weight[i] * taps[d].weight[size_t(k)];
      }
  }
}

// x is [n, c, spatial...], the grid [n, places..., dims] with the last dimension's coordinate first.
template <class T, class G>
void sample(const GridSampling& how, const Shape& shape, int64_t places, const T* x, const G* grid, T* y) {
  const auto dims = int64_t(shape.size()) - 2;
  const int64_t channels = shape[1], plane = product(shape, 2, shape.size());
  parallel_for(shape[0] * places, 64, [&](int64_t begin, int64_t end) {
    std::array<GridTaps, 3> taps;
    Mix mix;
    for (int64_t p = begin; p < end; ++p) {
      const int64_t n = p / places, place = p % places;
      for (int64_t d = 0; d < dims; ++d)
        taps[size_t(d)] = taps_at(how, double(compute_t<G>(grid[p * dims + dims - 1 - d])), shape[size_t(2 + d)]);
      mix_taps(std::span(taps).first(static_cast<size_t>(dims)), &shape[2], mix);
      for (int64_t c = 0; c < channels; ++c) {
        const T* from = x + (n * channels + c) * plane;
        double sum = 0;
        for (size_t k = 0; k < mix.count; ++k) sum += mix.weight[k] * double(compute_t<T>(from[mix.offset[k]]));
        y[(n * channels + c) * places + place] = T(compute_t<T>(sum));
      }
    }
  });
}

MadeKernel make_grid_sampler(const KernelRequest& request) {
  const auto how = TRY(sampling_of(request.node));
  const Shape &x = request.inputs[0].shape, &grid = request.inputs[1].shape;
  if (x.size() > 5) return refuse("an image of more than three dimensions beside batch and channels is not supported");
  if (x.size() < 3 || grid.size() != x.size() || grid.back() != int64_t(x.size()) - 2 || grid[0] != x[0])
    return refuse("the grid does not fit the image");
  if (graph::element_count(x) == 0) return refuse("the image is empty");
  return function_kernel([how](Inputs in, Outputs out) -> Status {
    const int64_t places = product(in[1].shape, 1, in[1].shape.size() - 1);
    return with_type(FloatTypes{}, in[0].type, [&]<class T>() -> Status {
      return with_type(FloatTypes{}, in[1].type, [&]<class G>() -> Status {
        sample(how, in[0].shape, places, in[0].as<T>(), in[1].as<G>(), out[0].as<T>());
        return {};
      });
    });
  });
}

// theta [n, 2, 3] or [n, 3, 4] and a size: the grid that theta makes of the places of an image.
template <class T>
void affine_grid(const Shape& size, bool align, const T* theta, T* y) {
  const auto dims = int64_t(size.size()) - 2;
  const int64_t places = product(size, 2, size.size());
  for (int64_t p = 0; p < size[0] * places; ++p) {
    std::array<double, 4> at{};
    int64_t rest = p % places;
    for (int64_t d = 0; d < dims; ++d) {
      const int64_t length = size[size_t(1 + dims - d)], i = rest % length;
      rest /= length;
      at[size_t(d)] = align ? (length > 1 ? 2.0 * double(i) / double(length - 1) - 1 : 0)
                            : (2.0 * double(i) + 1) / double(length) - 1;
    }
    at[size_t(dims)] = 1;
    for (int64_t row = 0; row < dims; ++row) {
      double sum = 0;
      for (int64_t k = 0; k <= dims; ++k)
        sum += at[size_t(k)] * double(compute_t<T>(theta[(p / places * dims + row) * (dims + 1) + k]));
      y[p * dims + row] = T(compute_t<T>(sum));
    }
  }
}

MadeKernel make_affine_grid(const KernelRequest& request) {
  const bool align = graph::flag_of(request.node, "align_corners", false);
  return function_kernel([align, label = label_of(request.node)](Inputs in, Outputs out) -> Status {
    const Shape size = TRY(integers(in[1]));
    const auto dims = int64_t(size.size()) - 2;
    if ((dims != 2 && dims != 3) || in[0].shape != Shape{size[0], dims, dims + 1} ||
        out[0].count() != size[0] * product(size, 2, size.size()) * dims)
      return failed(label, "theta does not fit output_size");
    return with_type(FloatTypes{}, in[0].type, [&]<class T>() -> Status {
      affine_grid(size, align, in[0].as<T>(), out[0].as<T>());
      return {};
    });
  });
}

constexpr KernelRow rows[] = {
    {"GridSampler2D", "bilinear", make_bilinear_sampler},
    {"GridSampler2D", "reference", make_grid_sampler},
    {"GridSampler3D", "reference", make_grid_sampler},
    {"AffineGrid", "reference", make_affine_grid},
};

}  // namespace

std::span<const KernelRow> grid_sample_rows() { return rows; }

}  // namespace belay::backend::cpu
