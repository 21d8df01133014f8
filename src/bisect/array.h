// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "graph/tensor/types.h"

namespace belay::bisect {

// A tensor in memory, row-major: an input, an output, or what an output should be.
struct Array {
  std::string name;
  graph::DataType type = graph::DataType::Undefined;
  graph::Shape shape;
  std::vector<std::byte> bytes;
};

}  // namespace belay::bisect
