// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/cpu/function_kernel.h"

namespace belay::backend::cpu {

// A tensor as batch x channels x space, whichever of the last two comes first.
struct Channels {
  int64_t batch = 1, channels = 1, space = 1;
  bool last = false;

  int64_t at(int64_t n, int64_t c, int64_t s) const {
    return last ? (n * space + s) * channels + c : (n * channels + c) * space + s;
  }
};
// Of input 0, as the node's data_format has it.
Channels read_channels(const KernelRequest& request, std::string_view fallback);

// A normalisation by given statistics: where its inputs are, and what is added to the variance.
struct GivenStatistics {
  size_t mean, variance, scale, offset;  // scale and offset may be missing
  double epsilon;
  Channels channels;
};
// Refuses a BatchNorm that computes the statistics itself.
Result<GivenStatistics> read_given_statistics(const KernelRequest& request);

}  // namespace belay::backend::cpu
