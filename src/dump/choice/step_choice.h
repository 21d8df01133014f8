// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "dump/choice/selection.h"
#include "executor/observer.h"

namespace belay::dump {

// A step of a node that was split, as it is dumped: what its file says, and its tensors as they lie in memory.
struct ChosenStep {
  ChosenNode node;
  std::vector<backend::Tensor> inputs, outputs;
};

// `whole` is what Selection::split has of the node. Channels-last tensors are NHWC or NDHWC.
// Everything is borrowed from the tensors given.
ChosenStep choose_step(Mode mode, const executor::NodeStep& step, const ChosenNode& whole,
                       std::span<const backend::Tensor> inputs, std::span<const backend::Tensor> outputs);

}  // namespace belay::dump
