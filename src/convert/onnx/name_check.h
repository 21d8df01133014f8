// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/status.h"
#include "convert/onnx/model.h"

namespace belay::convert {

// ONNX gives each tensor of a graph one maker. Refuses a graph, or one inside it, with two of a name, and names both.
// An inner graph may use a name of an outer one for a tensor of its own.
Status check_names(const onnx::Graph& graph);

}  // namespace belay::convert
