// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "backend/kernel.h"
#include "graph/model/graph.h"

namespace belay::executor {

// Whether a fault halfsum@op means this fused node and one of its members is a product: it then runs as its members. A
// notice when none is.
bool sums_in_half(const graph::Node& fused, bool single);

// The kernel that such a fault puts in place of the operator's own: a matrix product or a convolution that adds up its
// products in half precision. Null when no fault means the node, or `fused`, which it is a member of; null and a notice
// when the operator is something else.
std::unique_ptr<backend::Kernel> injected_kernel(const backend::KernelRequest& request, const graph::Node* fused,
                                                 bool single);

}  // namespace belay::executor
