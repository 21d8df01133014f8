// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/vision/grid_taps.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "graph/infer/arguments.h"

namespace belay::backend::cpu {
namespace {

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

int64_t bordered(const GridSampling& how, int64_t place, int64_t size) {
  if (place >= 0 && place < size) return place;
  switch (how.border) {
    case GridBorder::Zeros:
      return -1;
    case GridBorder::Edge:
      return std::clamp<int64_t>(place, 0, size - 1);
    case GridBorder::Reflection:
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

}  // namespace

GridTaps taps_at(const GridSampling& how, double normal, int64_t size) {
  double x = denormalised(normal, size, how.align);
  if (!std::isfinite(x)) x = -100;  // far outside, as any grid value that is no place
  x = std::clamp(x, -1e9, 1e9);
  GridTaps taps;
  if (how.mode == GridMode::Cubic) {
    const auto first = int64_t(std::floor(x)) - 1;
    for (int64_t k = 0; k < 4; ++k) taps.add(bordered(how, first + k, size), cubic(x - double(first + k)));
    return taps;
  }
  if (how.border == GridBorder::Edge) x = std::clamp(x, 0.0, double(size - 1));
  if (how.border == GridBorder::Reflection) x = std::clamp(reflected_within(x, size, how.align), 0.0, double(size - 1));
  if (how.mode == GridMode::Nearest) {
    taps.add(bordered(how, int64_t(std::nearbyint(x)), size), 1);
    return taps;
  }
  const int64_t left = int64_t(x) - (x < double(int64_t(x)) ? 1 : 0);
  const double right_part = x - double(left);
  taps.add(bordered(how, left, size), 1 - right_part);
  taps.add(bordered(how, left + 1, size), right_part);
  return taps;
}

Result<GridSampling> sampling_of(const graph::Node& node) {
  const std::string mode = graph::text_of(node, "interpolation_mode", "bilinear");
  const std::string border = graph::text_of(node, "padding_mode", "zeros");
  GridSampling how{GridMode::Linear, GridBorder::Zeros, graph::flag_of(node, "align_corners", false)};
  if (mode == "nearest")
    how.mode = GridMode::Nearest;
  else if (mode == "bicubic" || mode == "cubic")
    how.mode = GridMode::Cubic;
  else if (mode != "bilinear" && mode != "linear")
    return refuse(formatted("interpolation_mode {} is not known", mode));
  if (border == "border")
    how.border = GridBorder::Edge;
  else if (border == "reflection")
    how.border = GridBorder::Reflection;
  else if (border != "zeros")
    return refuse(formatted("padding_mode {} is not known", border));
  return how;
}

}  // namespace belay::backend::cpu
