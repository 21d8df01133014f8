// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>

#include "convert/passes/graph_editor.h"

namespace belay::convert {

// Puts Const nodes, named dynamic_const_<n>_<output>, where nodes outside read values that were computed during the
// import (by node and output). What only fed them is dead afterwards.
void fold_values(GraphEditor& editor, const std::map<std::pair<int, int>, graph::Constant>& values);

}  // namespace belay::convert
