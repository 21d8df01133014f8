// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "convert/passes/graph_editor.h"
#include "graph/model/origin.h"

namespace belay::convert {

using graph::original_names;

// Writes on `into` what the tools need to find the way back: the members' names in this order, and that output 0 is
// what `last` made.
void set_origin(graph::Node& into, std::span<const graph::Node* const> members, const graph::Node& last);

// Marks a node that no user knows: inserted for types, layouts or folded values.
void set_no_origin(graph::Node& node);

}  // namespace belay::convert
