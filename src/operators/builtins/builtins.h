// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <span>

#include "base/text.h"
#include "operators/composition.h"
#include "operators/promotion.h"

// What the families of builtins share.
namespace belay::operators {

// Argument i, absent when there are fewer.
inline const Value& at(const Values& arguments, size_t i) {
  static const auto& none = *new const Value;
  return i < arguments.size() ? arguments[i] : none;
}
inline int64_t int_at(const Values& arguments, size_t i, int64_t fallback = 0) {
  return at(arguments, i).present() ? at(arguments, i).integer : fallback;
}
inline bool flag_at(const Values& arguments, size_t i) { return int_at(arguments, i) != 0; }
inline double real_at(const Values& arguments, size_t i, double fallback = 0) {
  return at(arguments, i).present() ? at(arguments, i).number : fallback;
}

// A dimension counted from the front; 161002 when it is outside.
Result<int64_t> dimension(int64_t dim, size_t rank);
// The same of a list; an absent or empty one means all dimensions, a text none.
Result<std::vector<int64_t>> dimensions(const Value& dims, size_t rank);

// Type in which tensors and numbers are computed together.
DataType common_type(std::span<const Value> values);
// The values as tensors of the type.
Result<Values> as_type(Sketch& sketch, std::span<const Value> values, DataType type);
// An operator on values of their common type; whole numbers and bool become Float when `real`.
Result<Value> promoted(Sketch& sketch, const std::string& op, std::span<const Value> values, bool real = false);

// Whether float tensors can be multiplied by the number within the operator that adds them, whose attribute is a float.
bool scales_within(std::span<const Value> tensors, const Value& number);
// scaled(x, number): x times a number; by 1 nothing is done.
Result<Value> scaled(Sketch& sketch, const Values& arguments);

std::span<const Builtin> elementwise_builtins();
std::span<const Builtin> reduce_builtins();
std::span<const Builtin> shape_builtins();
std::span<const Builtin> matrix_builtins();
std::span<const Builtin> nn_builtins();
std::span<const Builtin> index_builtins();
std::span<const Builtin> check_builtins();
std::span<const Builtin> list_builtins();
std::span<const Builtin> gradient_builtins();

}  // namespace belay::operators
