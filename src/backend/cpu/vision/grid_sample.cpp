// SPDX-License-Identifier: Apache-2.0
// Images sampled where a grid says.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "backend/cpu/arguments.h"
#include "backend/cpu/element.h"
#include "backend/cpu/function_kernel.h"
#include "backend/cpu/rows.h"
#include "base/text.h"
#include "base/threads/parallel.h"
#include "graph/infer/arguments.h"

namespace belay::backend::cpu {
namespace {

enum class Border { Zeros, Edge, Reflection };
enum class Mode { Nearest, Linear, Cubic };

struct Sampling {
  Mode mode;
  Border border;
  bool align;
};

// From [-1, 1] to places in a dimension of `size`.
double denormalised(double x, int64_t size, bool align) {
  return align ? (x + 1) / 2 * double(size - 1) : ((x + 1) * double(size) - 1) / 2;
}

// Into [low, high] by reflections at both.
double reflected(double x, double low, double high) {
  const double span = high - low;
  if (span <= 0) return low;
  const double distance = std::abs(x - low), turns = std::floor(distance / span), rest = distance - turns * span;
  return std::fmod(turns, 2) == 0 ? low + rest : high - rest;
}

double reflected_within(double x, int64_t size, bool align) {
  return align ? reflected(x, 0, double(size - 1)) : reflected(x, -0.5, double(size) - 0.5);
}

// The elements of one dimension that make a sample, with weights; index -1: a zero.
struct Taps {
  std::array<int64_t, 4> index;
  std::array<double, 4> weight;
  int count = 0;
  void add(int64_t i, double w) {
    index[size_t(count)] = i;
    weight[size_t(count++)] = w;
  }
};

int64_t bordered(const Sampling& how, int64_t place, int64_t size) {
  if (place >= 0 && place < size) return place;
  switch (how.border) {
    case Border::Zeros:
      return -1;
    case Border::Edge:
      return std::clamp<int64_t>(place, 0, size - 1);
    case Border::Reflection:
      return std::clamp<int64_t>(int64_t(std::nearbyint(reflected_within(double(place), size, how.align))), 0,
                                 size - 1);
  }
  return -1;
}

double cubic(double x) {
  constexpr double a = -0.75;
  x = std::abs(x);
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

Taps taps_at(const Sampling& how, double normal, int64_t size) {
  double x = denormalised(normal, size, how.align);
  if (!std::isfinite(x)) x = -100;  // far outside, as any grid value that is no place
  x = std::clamp(x, -1e9, 1e9);
  Taps taps;
  if (how.mode == Mode::Cubic) {
    const auto first = int64_t(std::floor(x)) - 1;
    for (int64_t k = 0; k < 4; ++k) taps.add(bordered(how, first + k, size), cubic(x - double(first + k)));
    return taps;
  }
  if (how.border == Border::Edge) x = std::clamp(x, 0.0, double(size - 1));
  if (how.border == Border::Reflection) x = std::clamp(reflected_within(x, size, how.align), 0.0, double(size - 1));
  if (how.mode == Mode::Nearest) {
    taps.add(bordered(how, int64_t(std::nearbyint(x)), size), 1);
    return taps;
  }
  const auto left = int64_t(std::floor(x));
  const double right_part = x - double(left);
  taps.add(bordered(how, left, size), 1 - right_part);
  taps.add(bordered(how, left + 1, size), right_part);
  return taps;
}

// The elements of a plane that make a sample: the taps of all dimensions together.
struct Mix {
  std::array<int64_t, 64> offset;
  std::array<double, 64> weight;
  size_t count;
};

void mix_taps(std::span<const Taps> taps, const int64_t* sizes, Mix& mix) {
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
void sample(const Sampling& how, const Shape& shape, int64_t places, const T* x, const G* grid, T* y) {
  const auto dims = int64_t(shape.size()) - 2;
  const int64_t channels = shape[1], plane = product(shape, 2, shape.size());
  parallel_for(shape[0] * places, 64, [&](int64_t begin, int64_t end) {
    std::array<Taps, 3> taps;
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

Result<Sampling> sampling_of(const graph::Node& node) {
  const std::string mode = graph::text_of(node, "interpolation_mode", "bilinear");
  const std::string border = graph::text_of(node, "padding_mode", "zeros");
  Sampling how{Mode::Linear, Border::Zeros, graph::flag_of(node, "align_corners", false)};
  if (mode == "nearest")
    how.mode = Mode::Nearest;
  else if (mode == "bicubic" || mode == "cubic")
    how.mode = Mode::Cubic;
  else if (mode != "bilinear" && mode != "linear")
    return refuse(formatted("interpolation_mode {} is not known", mode));
  if (border == "border")
    how.border = Border::Edge;
  else if (border == "reflection")
    how.border = Border::Reflection;
  else if (border != "zeros")
    return refuse(formatted("padding_mode {} is not known", border));
  return how;
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
    {"GridSampler2D", "reference", make_grid_sampler},
    {"GridSampler3D", "reference", make_grid_sampler},
    {"AffineGrid", "reference", make_affine_grid},
};

}  // namespace

std::span<const KernelRow> grid_sample_rows() { return rows; }

}  // namespace belay::backend::cpu
