// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/resize/taps.h"

#include <algorithm>
#include <cmath>

namespace belay::backend::cpu {
namespace {

double cubic(double distance, double a) {
  const double x = std::abs(distance);
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2) return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
  return 0;
}

int64_t nearest_place(Nearest nearest, double x) {
  switch (nearest) {
    case Nearest::Floor:
      return int64_t(std::floor(x));
    case Nearest::Ceil:
      return int64_t(std::ceil(x));
    case Nearest::PreferFloor:
      return int64_t(std::ceil(x - 0.5));
    case Nearest::PreferCeil:
      return int64_t(std::floor(x + 0.5));
  }
  return 0;
}

// The weights of elements first, first + 1, ... around place x.
struct Filter {
  double support, stretch;  // half its width at stretch 1; below 1 it is wider
  int64_t first(double x) const { return int64_t(std::ceil(x)) - 1 + offset(); }
  int64_t offset() const { return int64_t(std::floor(-support / stretch)) + 1; }
  int64_t width() const { return 2 - 2 * offset(); }
};

void normalise(double* weights, int64_t count) {
  double sum = 0;
  for (int64_t k = 0; k < count; ++k) sum += weights[k];
  if (sum != 0)
    for (int64_t k = 0; k < count; ++k) weights[k] /= sum;
}

}  // namespace

bool Taps::identity() const {
  if (from != to || !outside.empty()) return false;
  for (int64_t i = 0; i < to; ++i)
    for (int64_t k = 0; k < width; ++k)
      if (weight[size_t(i * width + k)] != 0 && index[size_t(i * width + k)] != i) return false;
  return true;
}

float torch_step(double scale, int64_t from, int64_t to) {
  return scale > 0 ? static_cast<float>(1 / scale) : static_cast<float>(from) / static_cast<float>(to);
}

int64_t torch_nearest(bool exact, float step, int64_t at, int64_t from) {
  const float place = exact ? static_cast<float>((static_cast<double>(at) + 0.5) * static_cast<double>(step))
                            : static_cast<float>(at) * step;
  return std::min(static_cast<int64_t>(std::floor(place)), from - 1);
}

double source_place(Coordinates coordinates, const graph::ResizeAxis& axis, int64_t at) {
  const double x = double(at), last = double(axis.from - 1);
  switch (coordinates) {
    case Coordinates::HalfPixel:
      return (x + 0.5) / axis.scale - 0.5;
    case Coordinates::HalfPixelSymmetric: {
      const double adjustment = double(axis.to) / axis.length, centre = double(axis.from) / 2;
      return centre * (1 - adjustment) + (x + 0.5) / axis.scale - 0.5;
    }
    case Coordinates::PytorchHalfPixel:
      return axis.length <= 1 ? 0 : (x + 0.5) / axis.scale - 0.5;
    case Coordinates::AlignCorners:
      return axis.length == 1 ? 0 : x * last / (axis.length - 1);
    case Coordinates::Asymmetric:
      return x / axis.scale;
    case Coordinates::HalfPixelNearest:
      return (x + 0.5) / axis.scale;
    case Coordinates::TorchNearest:
    case Coordinates::TorchNearestExact:
      return double(torch_nearest(coordinates == Coordinates::TorchNearestExact,
                                  torch_step(axis.scale, axis.from, axis.to), at, axis.from));
    case Coordinates::Crop: {
      const double begin = axis.roi_begin * last, span = (axis.roi_end - axis.roi_begin) * last;
      return axis.length == 1 ? begin + span / 2 : begin + x * span / (axis.length - 1);
    }
  }
  return x;
}

Taps make_taps(const Resampling& how, const graph::ResizeAxis& axis) {
  const bool nearest = how.interpolation == Interpolation::Nearest, linear = how.interpolation == Interpolation::Linear;
  const Filter filter{linear ? 1.0 : 2.0, how.antialias ? std::min(axis.scale, 1.0) : 1.0};
  Taps taps{axis.from, axis.to, nearest ? 1 : filter.width(), {}, {}, {}};
  if (how.coordinates == Coordinates::Crop) taps.outside.resize(size_t(axis.to));
  const auto inside = [&](int64_t place) { return std::clamp<int64_t>(place, 0, std::max<int64_t>(0, axis.from - 1)); };
  for (int64_t i = 0; i < axis.to; ++i) {
    const double x = source_place(how.coordinates, axis, i);
    if (!taps.outside.empty()) taps.outside[size_t(i)] = x < 0 || x > double(axis.from - 1);
    if (nearest) {
      taps.index.push_back(inside(nearest_place(how.nearest, x)));
      taps.weight.push_back(1);
      continue;
    }
    const int64_t first = filter.first(x);
    for (int64_t k = 0; k < taps.width; ++k) {
      const double distance = (double(first + k) - x) * filter.stretch;
      const bool counts = !how.exclude_outside || (first + k >= 0 && first + k < axis.from);
      taps.index.push_back(inside(first + k));
      taps.weight.push_back(!counts  ? 0
                            : linear ? std::max(0.0, 1 - std::abs(distance))
                                     : cubic(distance, how.cubic_a));
    }
    if (how.exclude_outside || how.antialias) normalise(&taps.weight[size_t(i * taps.width)], taps.width);
  }
  return taps;
}

}  // namespace belay::backend::cpu
