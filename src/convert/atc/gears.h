// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "convert/convert.h"
#include "convert/onnx/graph_importer.h"

namespace belay::convert {

// The sizes that a model is made for when one of the --dynamic_* options is given.
struct Gears {
  enum class Kind : int64_t { Batch = 1, Image = 2, Dims = 3 };
  Kind kind;
  std::vector<std::vector<int64_t>> values;  // of each gear, one number per dynamic axis (batch: one; image: H, W)
  std::vector<std::string> order;            // input names as --input_shape has them
  size_t largest = 0;

  // The inputs with the sizes of one gear in the place of -1.
  std::vector<InputSpec> sized(const std::vector<InputSpec>& inputs, size_t gear) const;
};

// Nothing when no gears are asked for. E10001 when the option does not fit the inputs' shapes.
Result<std::optional<Gears>> parse_gears(const ConvertOptions& options, const std::vector<InputSpec>& inputs);

// The model that chooses among the models of the gears, which are in order and have the same inputs and outputs.
Result<graph::Model> join_gears(std::vector<graph::Model> models, const Gears& gears,
                                const std::vector<InputSpec>& inputs, const std::string& name);

}  // namespace belay::convert
