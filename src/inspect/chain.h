// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "inspect/magnitude.h"
#include "inspect/overflow.h"

namespace belay::inspect {

// A value on the way to an overflow.
struct ChainLink {
  std::string op_type, op_name;
  Magnitude value;
};

// How the magnitude grew: from an input of the model to the output that overflowed, at each operator along the input
// with the largest magnitude. From the file that an overflow dump writes beside the executions, else from the tensors
// of the operators that were dumped with it, which are known by their addresses. Empty when neither tells.
std::vector<ChainLink> chain_to(const Overflow& overflow, const std::vector<OperatorMagnitudes>& operators);

}  // namespace belay::inspect
