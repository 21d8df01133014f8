// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/status.h"
#include "convert/convert.h"
#include "graph/model/graph.h"

namespace belay::convert {

// In which types a model computes what it says in float.
enum class Precision {
  Origin,        // as the model says; every operator here has float, so allow_fp32_to_fp16 is the same
  Half,          // everything in float16
  MixedHalf,     // matrix products and convolutions in float16, and what may follow its inputs
  MixedBrain,    // the same in bfloat16
  CubeFromHalf,  // matrix products and convolutions of float16 inputs with float results
};

// From --precision_mode or --precision_mode_v2, which exclude each other. E10001 with the values there are.
Result<Precision> parse_precision(const ConvertOptions& options);

// Numbers the casts that are put in, from 0: trans_Cast_<n>.
struct CastCounter {
  int next = 0;
  std::string name() { return "trans_Cast_" + std::to_string(next++); }
};

// Changes the types inside a graph; its inputs and outputs keep theirs, with casts between. Graphs of control flow stay
// as they are.
Status apply_precision(graph::Graph& graph, Precision precision, CastCounter& casts);

// Changes the types of outputs (--output_type): index of the output and its type.
Status cast_output(graph::Graph& graph, size_t output, graph::DataType type, CastCounter& casts);

}  // namespace belay::convert
