// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "convert/convert.h"
#include "convert/onnx/model.h"

namespace belay::convert {

// One output of the model.
struct OutputSpec {
  std::string tensor;
  bool named_by_node = false;           // --out_nodes=node:index: the tensor's name is not part of the output's
  std::optional<graph::DataType> type;  // --output_type
};

// The graph's outputs, or what --out_nodes names, with the types that --output_type asks for.
Result<std::vector<OutputSpec>> choose_outputs(const onnx::Graph& graph, const ConvertOptions& options);

}  // namespace belay::convert
