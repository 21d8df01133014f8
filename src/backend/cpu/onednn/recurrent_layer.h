// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/kernel.h"

namespace belay::backend::cpu::onednn {

// An LSTM or GRU as the fast kernels take it: constant weights, the usual activations, every step of every batch.
struct RecurrentLayer {
  int64_t steps, batch, input, hidden, gates, directions;
  bool lstm, linear_before_reset, reverse;

  int64_t state() const { return batch * hidden; }
  int64_t bias_gates() const { return !lstm && linear_before_reset ? 4 : gates; }
  bool backwards(int64_t direction) const { return reverse || direction == 1; }
};

// Refuses what they do not take: lengths, peepholes, clipping, other activations or types.
Result<RecurrentLayer> read_recurrent(const KernelRequest& request);

// The elements of an input that is a constant; null when it is none.
const float* constant_floats(const KernelRequest& request, size_t input);

}  // namespace belay::backend::cpu::onednn
