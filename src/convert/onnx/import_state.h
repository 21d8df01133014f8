// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "convert/onnx/model.h"
#include "graph/model/graph.h"

namespace belay::convert {

// An ONNX node that cannot be converted, and why.
struct Problem {
  enum class Cause : uint8_t {
    Unknown,      // no mapping has the operator, or a tensor has no value
    Unsupported,  // the operator is known, this form of it is not
    Shapes,       // types or shapes do not fit: legal in a branch that never runs
  };
  std::string node, what, reason;
  Cause cause = Cause::Unknown;
};

// What all graphs of one conversion share.
struct ImportState {
  onnx::OpsetImports opsets;
  graph::Model model{.graphs = {{}}};  // the graphs of control flow, after an empty main graph
  std::vector<Problem> problems;
  std::vector<std::string> warnings;
  bool fold_constants = true;
  int replacement = 0;  // counts operators of expansions, for their names
  int unnamed = 0;      // counts ONNX nodes without a name
};

}  // namespace belay::convert
