// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "graph/model/graph.h"

namespace belay::backend {

// Whether some row runs this operator. The row may still refuse a node.
bool has_kernel(std::string_view op);

// All nodes of a model that nothing here can run, one line each; "" when there are none. Looks into subgraphs and into
// the members of fused nodes.
std::string operators_without_kernel(const graph::Model& model);

}  // namespace belay::backend
