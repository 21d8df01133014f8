// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "convert/passes/precision_rules.h"
#include "graph/model/graph.h"

namespace belay::convert {

// Numbers the casts that are put in, from 0: trans_Cast_<n>.
struct CastCounter {
  int next = 0;
  std::string name() { return "trans_Cast_" + std::to_string(next++); }
};

// Changes the types inside a graph; its inputs (but for those of --input_fp16_nodes) and outputs keep theirs, with
// casts between. Graphs of control flow stay as they are. E10001 when an operator cannot have the types it is given,
// E10016 when --input_fp16_nodes names no input.
Status apply_precision(graph::Graph& graph, const PrecisionRules& rules, CastCounter& casts);

// Makes an input float16, and nothing else: who reads it still expects what it was. The codes of apply_precision.
Status take_half_input(graph::Graph& graph, const std::string& name);

// Changes the types of outputs (--output_type): index of the output and its type.
Status cast_output(graph::Graph& graph, size_t output, graph::DataType type, CastCounter& casts);

}  // namespace belay::convert
