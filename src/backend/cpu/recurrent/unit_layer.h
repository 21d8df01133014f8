// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/cpu/recurrent/layer.h"

namespace belay::backend::cpu {

// Layers of floats whose units are each computed by themselves in one pass over a step: an LSTM, or a GRU that resets
// after the product, with the usual activations and nothing besides.
bool is_unit_layer(const Recurrent& op, const KernelRequest& request);
MadeKernel make_unit_layer(const Recurrent& op, const RecurrentSizes& sizes, const KernelRequest& request);

}  // namespace belay::backend::cpu
