// SPDX-License-Identifier: Apache-2.0
#pragma once

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

 private:
  Status extrapolate(Tensor& y) const;

  std::vector<Taps> taps_;
  bool nearest_;
  double extrapolation_;  // for places outside the source
};

}  // namespace belay::backend::cpu
