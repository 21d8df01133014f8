// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "convert/onnx_model.h"
#include "graph/graph.h"

namespace belay::convert {

// An ONNX node that cannot be converted, and why.
struct Problem {
  std::string node, what, reason;
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
