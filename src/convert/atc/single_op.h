// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "graph/model/graph.h"

namespace belay::convert {

// One element of a --singleop file: a model with one operator.
struct SingleOp {
  std::string file;  // base name of its .om, without the suffix
  std::shared_ptr<graph::Model> model;
};

// Reads the JSON array of --singleop. The error names the element and what is wrong with it.
Result<std::vector<SingleOp>> read_single_ops(std::string_view json);

}  // namespace belay::convert
