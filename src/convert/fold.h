// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "graph/infer/infer.h"
#include "graph/model/graph.h"

namespace belay::convert {

// The outputs' values when every input's value is known (or only its shape is needed) and the result is not much larger
// than what it is made of; else nothing. Random operators are never computed.
std::vector<graph::Constant> fold(const graph::Node& node, std::span<const graph::TensorInfo> inputs,
                                  std::span<const graph::TensorInfo> outputs);

}  // namespace belay::convert
