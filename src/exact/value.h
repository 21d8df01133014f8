// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/status.h"
#include "graph/tensor/types.h"

namespace belay::exact {

// A tensor on the host, row-major: doubles where the model has floating-point numbers of any width, else the model's
// own type. Copies share the elements, which nobody changes.
struct Value {
  graph::DataType type = graph::DataType::Undefined;  // Double, or an integer or Bool type
  graph::Shape shape;
  std::shared_ptr<const std::vector<std::byte>> bytes;
  bool present = true;  // false: an optional input that is not connected

  int64_t count() const { return graph::element_count(shape); }
  std::span<const double> doubles() const;  // of type Double
};

// The value of stored elements: every narrower float becomes exactly its double.
Result<Value> widened(graph::DataType type, const graph::Shape& shape, std::span<const std::byte> bytes);
// Back: rounded once to nearest, ties to even.
Result<std::vector<std::byte>> narrowed(const Value& value, graph::DataType type);

}  // namespace belay::exact
