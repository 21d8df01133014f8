// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "backend/cpu/resize/taps.h"
#include "backend/kernel.h"

namespace belay::backend::cpu {

// A resize of a tensor, one dimension after the other; the taps are one for each dimension.
class Resampler {
 public:
  Resampler(std::vector<Taps> taps, bool nearest, double extrapolation);

  // Nearest works on every type; the others compute in float (double for doubles) and round once, integers to the
  // nearest.
  Status run(const Tensor& x, Tensor& y) const;

  // The same resize of tensors in another layout, to be run on the shapes that they have in memory; nothing when it
  // touches more than the places of images.
  std::optional<Resampler> in_layout(Layout layout) const;

 private:
  Status extrapolate(Tensor& y) const;

  std::vector<Taps> taps_;
  bool nearest_;
  double extrapolation_;  // for places outside the source
};

}  // namespace belay::backend::cpu
