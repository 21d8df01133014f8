// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "exact/tracked.h"
#include "graph/infer/infer.h"
#include "graph/model/graph.h"

namespace belay::exact {

// What a kernel gave, and the types that the model stores its outputs in.
struct Computed {
  std::vector<Value> values;
  std::vector<graph::DataType> stored;
};

// The types, as the model stores them, and the shapes of a node's outputs.
Result<std::vector<graph::TensorInfo>> infer_outputs(const graph::Node& node, std::span<const Value> inputs,
                                                     std::span<const graph::DataType> stored);

// One operator without members and subgraphs, by its plain kernel in double. `stored` are the types of the inputs in
// the model: shape rules look at them.
Result<Computed> compute(const graph::Node& node, std::span<const Value> inputs,
                         std::span<const graph::DataType> stored);

// The values that the plain kernel gives in float, which every input is rounded to.
Result<std::vector<Value>> compute_in_float(const graph::Node& node, std::span<const Value> inputs,
                                            std::span<const graph::DataType> stored);

}  // namespace belay::exact
