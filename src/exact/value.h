// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
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
  bool real() const { return type == graph::DataType::Double; }
  std::span<const double> doubles() const;  // of type Double
};

// float16, bfloat16, float, double: what becomes doubles.
bool is_float_type(graph::DataType type);

Value make_value(graph::Shape shape, std::span<const double> elements);
// The value of stored elements: every narrower float becomes exactly its double. Refuses types that are neither floats
// that a model computes with, nor integers or bools of whole bytes; and bytes that are not as many as the shape says.
Result<Value> widened(graph::DataType type, const graph::Shape& shape, std::span<const std::byte> bytes);
// Back: rounded once to nearest, ties to even. Integers stay what they are and have one type only.
Result<std::vector<std::byte>> narrowed(const Value& value, graph::DataType type);

// An element of a value of integers or bools.
double integer_at(const Value& value, int64_t element);

// How far a stored result is from the exact one: 0 when both are NaN or the same infinity, infinite when only one is
// finite.
inline double error_between(double actual, double exact) {
  if (actual == exact || (actual != actual && exact != exact)) return 0;
  const double error = std::fabs(actual - exact);
  return error <= std::numeric_limits<double>::max() ? error : std::numeric_limits<double>::infinity();
}

}  // namespace belay::exact
