// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "base/status.h"
#include "graph/model/graph.h"

namespace belay::executor {

// What a model will need, told from its graph alone: no kernel is made and no weight is read.
struct MemoryEstimate {
  bool dynamic = false;  // shapes are known only when it runs
  size_t work_bytes = 0, weight_bytes = 0;
};

Result<MemoryEstimate> estimate_memory(const graph::Model& model);

}  // namespace belay::executor
