// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "graph/model/schema.h"

namespace belay::graph {

// One line of ge_ops.tsv: op, inputs, outputs, attributes, note, separated by tabs.
Schema parse_schema(std::string_view line);

}  // namespace belay::graph
