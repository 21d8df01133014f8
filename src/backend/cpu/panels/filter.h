// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/cpu/chain.h"
#include "backend/cpu/packed_weights.h"
#include "graph/convolution.h"

// What the convolutions that compute in panels have in common.
namespace belay::backend::cpu::panels {

// Float, two dimensions, one group, channels in multiples of 16.
Status check_convolution(const KernelRequest& request, const Chain& chain, const graph::Convolution& c);

// The node's input that a port of the head is; -1 when it is open.
int input_at(const Chain& chain, size_t port);

// A constant filter, whatever the order of its elements.
struct Filter {
  int64_t outputs, inputs, height, width;
  const float* data;
  int64_t along_output, along_input, along_y, along_x;  // steps between elements
  const float* at(int64_t output, int64_t input) const { return data + output * along_output + input * along_input; }
};

// Writes the form of it that a panel of output channels, from `first` on, has.
using PackPanel = void (*)(const Filter& filter, int64_t first, float* to);
// The filter in another form, `count` floats of it; kernels with the same filter share it.
Result<PackedWeights> pack_filter(const std::string& form, const graph::Convolution& c, const graph::TensorInfo& filter,
                                  int64_t count, PackPanel pack);

}  // namespace belay::backend::cpu::panels
