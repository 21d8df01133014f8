// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/cpu/chain.h"
#include "backend/cpu/nn/volume.h"
#include "backend/cpu/packed_weights.h"
#include "graph/infer/convolution.h"

// What the convolutions that compute in panels have in common.
namespace belay::backend::cpu::panels {

// Float, not transposed, nothing empty.
Status check_convolution(const KernelRequest& request, const Chain& chain, const graph::Convolution& c);

// The node's input that a port of the head is; -1 when it is open.
int input_at(const Chain& chain, size_t port);

// A filter, whatever the order of its elements.
struct Filter {
  Filter(const graph::Convolution& c, const Shape& shape, const void* elements);

  int64_t groups, outputs, inputs;  // channels of a group
  Triple size;
  const float* data;
  int64_t along_group, along_output, along_input;  // steps between elements
  Triple along;
  const float* at(int64_t group, int64_t output, int64_t input) const {
    return data + group * along_group + output * along_output + input * along_input;
  }
};

// Writes the form of it that a panel of a group's output channels, from `first` on, has; `to` is where the form of the
// whole filter begins.
using PackPanel = void (*)(const Filter& filter, int64_t group, int64_t first, float* to);
// All panels.
void pack_panels(const Filter& filter, PackPanel pack, float* to);
// A constant filter in another form, `count` floats of it; kernels with the same filter share it.
Result<PackedWeights> pack_filter(const std::string& form, const Filter& filter, int64_t count, PackPanel pack);
// As PanelConvolution has it: of each panel the taps, one after the other, as find_rows has them.
Result<PackedWeights> pack_taps(const Filter& filter);

}  // namespace belay::backend::cpu::panels
