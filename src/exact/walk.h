// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "exact/tracked.h"
#include "graph/model/graph.h"

namespace belay::exact {

// Computes a node, all that it is made of, and what is permitted.
Result<std::vector<Tracked>> track(const graph::Model& model, const graph::Node& node, std::span<const Tracked> inputs);

}  // namespace belay::exact
