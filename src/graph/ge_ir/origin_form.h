// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/status.h"
#include "graph/model/graph.h"

namespace belay::graph {

// Makes a constant of a file fit for use: 545003 when it has fewer bytes than its description asks for; a private
// format becomes the origin form that `desc` gives; elements that are not aligned for their type are copied. All else
// stays where it lies.
Status settle_constant(const TensorDesc& desc, Constant& constant);

// Takes out the nodes that only order the device's streams and clear its memory (Send, Recv, MemSet...).
void remove_device_nodes(Graph& graph);

}  // namespace belay::graph
