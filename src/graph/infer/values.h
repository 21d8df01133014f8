// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "graph/infer/infer.h"

namespace belay::graph {

// The elements of an integer or bool tensor, in row-major order; kUnknownElement where one is not known.
using Elements = std::vector<int64_t>;

// What can be told of a node's outputs without running it: dimensions and indices computed by Shape, Gather, Concat,
// Slice, arithmetic... Nothing for outputs that are large, not integer, or of which no element is known.
std::vector<std::optional<Elements>> known_values(const Node& node, std::span<const TensorInfo> inputs,
                                                  std::span<const TensorInfo> outputs);

// The elements as a constant of this type; nothing when one is not known or does not fit the type.
std::optional<Constant> to_constant(DataType type, const Shape& shape, const Elements& elements);

}  // namespace belay::graph
