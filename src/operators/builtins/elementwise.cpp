// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "operators/builtins/builtins.h"

namespace belay::operators {
namespace {

std::span<const Value> after(const Values& arguments, size_t first) {
  return std::span(arguments).subspan(std::min(first, arguments.size()));
}

Result<Value> arith(Sketch& s, const Values& a) { return promoted(s, a[0].text, after(a, 1)); }
Result<Value> real(Sketch& s, const Values& a) { return promoted(s, a[0].text, after(a, 1), true); }

// An operator that keeps the type of its one tensor; bool is not computed with.
Result<Value> keep(Sketch& s, const Values& a) {
  TRY(need(a[1]));
  return s.op(a[0].text, {a[1]});
}

// A whole number that the tensors' type cannot hold is met in Int64.
Result<Value> compare(Sketch& s, const Values& a) {
  for (const Value& value : after(a, 1)) TRY(need(value));
  DataType type = common_type(after(a, 1));
  if (type == DataType::Bool) type = DataType::UInt8;
  if (category_of(type) == Category::Integer)
    for (const Value& value : after(a, 1))
      if (!value.is_tensor() && limited_to(type, value.integer) != value.integer) type = DataType::Int64;
  return s.op(a[0].text, TRY(as_type(s, after(a, 1), type)));
}

Result<Value> logical(Sketch& s, const Values& a) {
  return s.op(a[0].text, TRY(as_type(s, after(a, 1), DataType::Bool)));
}

// Bits of integers; of bools, the logic.
Result<Value> bits(Sketch& s, const Values& a) {
  for (const Value& value : after(a, 1)) TRY(need(value));
  const DataType type = common_type(after(a, 1));
  if (category_of(type) > Category::Integer) return invalid(a[0].text + " needs integers or bools");
  if (type == DataType::Bool) return s.op(a.back().text, TRY(as_type(s, std::span(a).subspan(1, a.size() - 2), type)));
  return s.op(a[0].text, TRY(as_type(s, std::span(a).subspan(1, a.size() - 2), type)));
}

// added(op, x, y, number): x + number * y, or x - number * y, of Add and Sub.
Result<Value> added(Sketch& s, const Values& a) {
  for (size_t i = 1; i < 4; ++i) TRY(need(a[i]));
  const std::span tensors = std::span(a).subspan(1, 2);
  if (!scales_within(tensors, a[3])) {
    const Value product = TRY(scaled(s, {a[2], a[3]}));
    return promoted(s, a[0].text, Values{a[1], product});
  }
  const auto factor = static_cast<float>(a[3].number);
  return s.op("Axpy", TRY(as_type(s, tensors, common_type(tensors))),
              {{"alpha", a[0].text == "Sub" ? -factor : factor}});
}

Result<Value> divide(Sketch& s, const Values& a) {
  TRY(need(a[0]));
  TRY(need(a[1]));
  if (!a[0].is_tensor() && !a[1].is_tensor()) return Value::of(a[0].number / a[1].number);
  const std::span<const Value> operands = std::span(a).first(2);
  switch (int_at(a, 2)) {
    case 0:
      return promoted(s, "RealDiv", operands, true);
    case 1: {
      const DataType type = common_type(operands);
      if (category_of(type) <= Category::Integer) return promoted(s, "TruncateDiv", operands);
      return s.op("Trunc", {TRY(promoted(s, "RealDiv", operands))});
    }
    case 2:
      return promoted(s, "FloorDiv", operands);
    default:
      return invalid("mode must be 0 (true), 1 (trunc) or 2 (floor)");
  }
}

// bound(op, values...): Maximum or Minimum; a whole number beyond the tensors' integers counts as the last of them.
Result<Value> bound(Sketch& s, const Values& a) {
  Values both(a.begin() + 1, a.end());
  for (const Value& value : both) TRY(need(value));
  const DataType type = common_type(both);
  for (Value& value : both)
    if (!value.is_tensor() && category_of(type) == Category::Integer)
      value = Value::of(limited_to(type, value.integer));
  return promoted(s, a[0].text, both);
}

Result<Value> clamp(Sketch& s, const Values& a) {
  TRY(need(a[0]));
  if (!at(a, 1).present() && !at(a, 2).present()) return invalid("at least one bound must be given");
  Value made = a[0];
  if (at(a, 1).present()) made = TRY(bound(s, {Value::of(std::string("Maximum")), made, a[1]}));
  if (at(a, 2).present()) made = TRY(bound(s, {Value::of(std::string("Minimum")), made, a[2]}));
  return made;
}

Result<Value> where(Sketch& s, const Values& a) {
  for (const Value& value : a) TRY(need(value));
  const auto both = TRY(as_type(s, after(a, 1), common_type(after(a, 1))));
  return s.op("SelectV2", {TRY(s.cast(a[0], DataType::Bool)), both[0], both[1]});
}

// A tensor like the first, every element the number.
Result<Value> fill(Sketch& s, const Values& a) {
  TRY(need(a[1]));
  const Value value = TRY(s.cast(a[1], a[0].type));
  if (a[1].is_tensor() && graph::element_count(a[1].shape) != 1) return invalid("the value must be one element");
  return s.expand(TRY(s.reshape(value, {})), a[0].shape);
}

Result<Value> cast(Sketch& s, const Values& a) {
  TRY(need(a[0]));
  Value made = TRY(s.cast(a[0], static_cast<DataType>(a[1].integer)));
  made.any_type = true;
  return made;
}

// The value, to be stored as whatever the output is.
Result<Value> convert(Sketch&, const Values& a) {
  TRY(need(a[0]));
  Value made = a[0];
  made.any_type = true;
  return made;
}

// The value of a parameter that may be null, or the second.
Result<Value> either(Sketch&, const Values& a) { return a[0].present() ? a[0] : a[1]; }

// Integers stay as they are; of other types the operator is applied.
Result<Value> rounded(Sketch& s, const Values& a) {
  TRY(need(a[1]));
  return category_of(a[1].type) <= Category::Integer ? a[1] : s.op(a[0].text, {a[1]});
}

Result<Value> power(Sketch& s, const Values& a) {
  for (const Value& value : a) TRY(need(value));
  return promoted(s, "Pow", a);
}

// nan_to_num(x, nan, infinity, minus infinity)
Result<Value> nan_to_num(Sketch& s, const Values& a) {
  TRY(need(a[0]));
  if (category_of(a[0].type) != Category::Float) return a[0];
  const double most = a[0].type == DataType::Float16    ? 65504.0
                      : a[0].type == DataType::BFloat16 ? 3.3895313892515355e38
                      : a[0].type == DataType::Double   ? std::numeric_limits<double>::max()
                                                        : std::numeric_limits<float>::max();
  const auto number = [&](size_t i, double fallback) {
    const double given = real_at(a, i, fallback);
    return s.scalar(a[0].type, std::isinf(given) ? fallback : given);
  };
  const Value infinity = s.scalar(a[0].type, std::numeric_limits<double>::infinity());
  const Value minus = s.scalar(a[0].type, -std::numeric_limits<double>::infinity());
  Value made = TRY(s.op("SelectV2", {TRY(s.op("NotEqual", {a[0], a[0]})), number(1, 0), a[0]}));
  made = TRY(s.op("SelectV2", {TRY(s.op("Equal", {made, infinity})), number(2, most), made}));
  return s.op("SelectV2", {TRY(s.op("Equal", {made, minus})), number(3, -most), made});
}

constexpr Builtin kRows[] = {
    {"arith", arith},     {"real", real},       {"keep", keep},
    {"compare", compare}, {"logical", logical}, {"bits", bits},
    {"scaled", scaled},   {"added", added},     {"divide", divide},
    {"clamp", clamp},     {"where", where},     {"fill", fill},
    {"cast", cast},       {"convert", convert}, {"either", either},
    {"rounded", rounded}, {"power", power},     {"nan_to_num", nan_to_num},
    {"bound", bound},
};

}  // namespace

std::span<const Builtin> elementwise_builtins() { return kRows; }

}  // namespace belay::operators
