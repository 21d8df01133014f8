// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "convert/passes/graph_editor.h"

namespace belay::convert {

// The other input of a node of that type that is commutative and has a constant of about this value; open when it is
// no such node. For RealDiv and Sub and Pow the constant must be the second input.
graph::Edge beside_scalar(const GraphEditor& editor, int index, std::string_view type, double value);
// The same for the only reader of a node; its index, or -1.
int reader_with_scalar(const GraphEditor& editor, int index, std::string_view type, double value);
// The other input of a two-input node.
graph::Edge beside(const graph::Node& node, graph::Edge one);
bool about(double a, double b);

// Replaces `members`, of which `last` gives the result, by one operator that has last's name. Members that others still
// read stay.
void replace(GraphEditor& editor, std::vector<int> members, int last, std::string type, std::vector<graph::Edge> inputs,
             graph::Attributes attributes);

}  // namespace belay::convert
