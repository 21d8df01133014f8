// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "graph/infer/resize_plan.h"

namespace belay::backend::cpu {

enum class Interpolation { Nearest, Linear, Cubic };
enum class Nearest { Floor, Ceil, PreferFloor, PreferCeil };
// How a place in the result becomes one in the source.
enum class Coordinates {
  HalfPixel,
  HalfPixelSymmetric,
  PytorchHalfPixel,
  AlignCorners,
  Asymmetric,
  HalfPixelNearest,
  TorchNearest,       // as PyTorch computes them, in float: where a place is the border of two elements,
  TorchNearestExact,  // its roundings decide between them
  Crop
};

// The float by which PyTorch multiplies the places of a result; `scale`: 0, or what replaces the ratio of the sizes.
float torch_step(double scale, int64_t from, int64_t to);
// The element of `from` that PyTorch takes for place `at`, by mode nearest or nearest-exact.
int64_t torch_nearest(bool exact, float step, int64_t at, int64_t from);

struct Resampling {
  Interpolation interpolation = Interpolation::Nearest;
  Nearest nearest = Nearest::PreferFloor;
  Coordinates coordinates = Coordinates::HalfPixel;
  double cubic_a = -0.75;
  bool exclude_outside = false;  // taps outside the source get no weight, instead of the border's element
  bool antialias = false;        // widen the filter when the result is smaller
};

// What each element of a resized dimension is made of: `width` elements of the source with their weights.
struct Taps {
  int64_t from = 1, to = 1, width = 1;
  std::vector<int64_t> index;  // to * width
  std::vector<double> weight;  // to * width
  std::vector<bool> outside;   // to: the place is outside the source (Crop only); else empty
  bool identity() const;
};

// The place in the source of place `at` of the result.
double source_place(Coordinates coordinates, const graph::ResizeAxis& axis, int64_t at);

Taps make_taps(const Resampling& resampling, const graph::ResizeAxis& axis);

}  // namespace belay::backend::cpu
