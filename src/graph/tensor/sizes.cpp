// SPDX-License-Identifier: Apache-2.0
#include "graph/tensor/sizes.h"

#include <cstdint>

namespace belay::graph {

std::string too_large(DataType type, const Shape& shape) {
  const int64_t count = element_count(shape);
  if (count < INT64_MAX && bytes_of(type, count) <= kMostBytes) return "";
  return to_text(shape) + " of " + std::string(name_of(type)) + " is larger than any memory";
}

}  // namespace belay::graph
