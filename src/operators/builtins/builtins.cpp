// SPDX-License-Identifier: Apache-2.0
#include "operators/builtins/builtins.h"

#include <map>

namespace belay::operators {

const Builtin* find_builtin(std::string_view name) {
  static const auto& index = *[] {
    auto* made = new std::map<std::string_view, const Builtin*>;
    for (const auto rows : {elementwise_builtins(), reduce_builtins(), shape_builtins(), matrix_builtins(),
                            nn_builtins(), index_builtins(), check_builtins(), list_builtins(), gradient_builtins()})
      for (const Builtin& row : rows) made->emplace(row.name, &row);
    return made;
  }();
  const auto found = index.find(name);
  return found == index.end() ? nullptr : found->second;
}

Result<int64_t> dimension(int64_t dim, size_t rank) {
  const auto size = static_cast<int64_t>(std::max<size_t>(rank, 1));
  if (dim < -size || dim >= size) return invalid(formatted("dimension {} is outside [{}, {}]", dim, -size, size - 1));
  return dim < 0 ? dim + size : dim;
}

Result<std::vector<int64_t>> dimensions(const Value& dims, size_t rank) {
  std::vector<int64_t> made;
  if (dims.kind == Value::Kind::Text) return made;
  if (!dims.present() || dims.numbers.empty()) {
    for (size_t i = 0; i < rank; ++i) made.push_back(static_cast<int64_t>(i));
    return made;
  }
  for (const int64_t dim : dims.ints()) made.push_back(TRY(dimension(dim, rank)));
  std::vector<int64_t> sorted = made;
  std::ranges::sort(sorted);
  if (std::ranges::adjacent_find(sorted) != sorted.end()) return invalid("a dimension appears twice");
  return made;
}

DataType common_type(std::span<const Value> values) {
  ResultType type;
  for (const Value& value : values) {
    if (value.is_tensor()) type.add_tensor(value.type, value.rank() > 0);
    if (value.kind == Value::Kind::Number) type.add_number(value.type);
  }
  return type.get();
}

Result<Values> as_type(Sketch& sketch, std::span<const Value> values, DataType type) {
  Values made;
  for (const Value& value : values) made.push_back(TRY(sketch.cast(value, type)));
  return made;
}

namespace {

// A sum or product of a tensor of 16 bits and a number: one step, with the number as a float.
Result<Value> with_number(Sketch& sketch, const std::string& op, std::span<const Value> values) {
  const bool first = values[0].is_tensor();
  const auto number = static_cast<float>(values[first ? 1 : 0].number);
  return sketch.op(op + "s", {values[first ? 0 : 1]}, {{"value", number}});
}

bool is_with_number(const std::string& op, std::span<const Value> values, DataType type) {
  return (op == "Mul" || op == "Add") && values.size() == 2 && is_narrow(type) &&
         values[0].is_tensor() != values[1].is_tensor() && values[values[0].is_tensor() ? 0 : 1].type == type;
}

}  // namespace

Result<Value> promoted(Sketch& sketch, const std::string& op, std::span<const Value> values, bool real) {
  for (const Value& value : values) TRY(need(value));
  const DataType type = common_type(values);
  if (type == DataType::Undefined || category_of(type) == Category::Other)
    return invalid(op + ": these types do not go together");
  if (is_with_number(op, values, type)) return with_number(sketch, op, values);
  if (real && category_of(type) < Category::Float) return sketch.op(op, TRY(as_type(sketch, values, DataType::Float)));
  if (type != DataType::Bool) return sketch.op(op, TRY(as_type(sketch, values, type)));
  // Bools are computed with as numbers; what is not 0 is true.
  const Value result = TRY(sketch.op(op, TRY(as_type(sketch, values, DataType::Int32))));
  return sketch.cast(result, DataType::Bool);
}

bool scales_within(std::span<const Value> tensors, const Value& number) {
  const DataType type = common_type(tensors);
  const bool floats = std::ranges::all_of(
      tensors, [](const Value& value) { return value.is_tensor() && category_of(value.type) == Category::Float; });
  return floats && type != DataType::Double && number.kind == Value::Kind::Number && number.number != 1;
}

Result<Value> scaled(Sketch& s, const Values& a) {
  TRY(need(a[0]));
  TRY(need(a[1]));
  if (a[1].number == 1) return a[0];
  if (a[0].kind == Value::Kind::Number) {
    const bool whole = category_of(a[0].type) <= Category::Integer && category_of(a[1].type) <= Category::Integer;
    if (!whole) return Value::of(a[0].number * a[1].number);
    return Value::of(static_cast<int64_t>(static_cast<uint64_t>(a[0].integer) * static_cast<uint64_t>(a[1].integer)));
  }
  return promoted(s, "Mul", a);
}

}  // namespace belay::operators
