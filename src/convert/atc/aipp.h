// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "graph/model/graph.h"

namespace belay::convert {

// One aipp_op block of --insert_op_conf: its fields under their names in the file, with the defaults of those left out.
using AippConfig = graph::Attributes;

// Reads the text form: "aipp_op { aipp_mode: static input_format: RGB888_U8 ... }", '#' starts a comment. An error
// names the field that is unknown or has a wrong value, with its line.
Result<std::vector<AippConfig>> parse_aipp(std::string_view text);

// Puts an Aipp operator behind the inputs that the blocks name (by name, or by rank among the inputs). The input
// becomes the raw image in bytes. Static mode only; what is not supported is refused by name.
Status insert_aipp(graph::Graph& graph, const std::vector<AippConfig>& configs, std::string_view config_path);

}  // namespace belay::convert
