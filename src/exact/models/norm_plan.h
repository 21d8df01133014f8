// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "exact/models/groups.h"
#include "exact/models/model.h"

namespace belay::exact {

// A norm as its error model sees it: (x - mean) / sqrt(variance + epsilon) * gain + shift over groups of x.
struct NormPlan {
  Groups groups;
  std::vector<double> x;  // what is normalised: the first input, or a sum of inputs
  bool centred = true;    // else without the mean
  bool largest = false;   // L2Normalize: the sum of the squares, or epsilon if that is more
  bool divides = true;    // MVN may leave the variance out
  double epsilon = 0;     // within the root; MVN adds it to the root
  bool epsilon_outside = false;
  std::vector<double> gain, shift;  // empty: 1 and 0
  int64_t inner = 1;                // elements with the same gain that follow one another
  std::optional<double> swish;      // the scale of a Swish that follows
  int mean_output = -1, variance_output = -1, deviation_output = -1, sum_output = -1;
  bool added = false;  // x is a sum, and was rounded

  double gain_at(int64_t element) const { return at(gain, element, 1); }
  double shift_at(int64_t element) const { return at(shift, element, 0); }

 private:
  double at(const std::vector<double>& list, int64_t element, double fallback) const {
    return list.empty() ? fallback : list[static_cast<size_t>(element / inner) % list.size()];
  }
};

Result<NormPlan> plan_norm(const Operation& operation);

}  // namespace belay::exact
