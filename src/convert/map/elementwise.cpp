// SPDX-License-Identifier: Apache-2.0
// Operators that work element by element: arithmetic, comparison, logic, bits.
#include <limits>

#include "base/text.h"
#include "convert/map/mapping.h"
#include "convert/map/node_context.h"
#include "convert/map/numbers.h"
#include "convert/onnx/types.h"

namespace belay::convert {
namespace {

// The second operand. Before opset 7 it was broadcast only when `broadcast` said so; its dimensions then met those of
// the first from `axis` on, or its last ones.
Result<Edge> second(NodeContext& c) {
  if (c.opset >= 7 || c.integer("broadcast", 0) == 0 || !c.given("axis")) return c.in(1);
  const int rank = c.rank(size_t{0}), own = c.rank(size_t{1});
  if (rank < 0 || own < 0) return c.fail("to broadcast along axis, the ranks of its inputs must be known");
  const auto axis = static_cast<int>(TRY(c.axis_within(c.integer("axis", 0), rank)));
  if (axis + own > rank) return c.fail(formatted("axis {} leaves no room for {} dimensions of {}", axis, own, rank));
  std::vector<int64_t> behind;
  for (int i = own; i < rank - axis; ++i) behind.push_back(i);
  return behind.empty() ? c.in(1) : c.add({"Unsqueeze", "UnsqueezeB"}, {c.in(1)}, {{"axes", behind}});
}

Status binary(NodeContext& c) {
  const Edge b = TRY(second(c));
  c.give(0, c.add(c.ge, {c.in(0), b}));
  return {};
}

// GE's Pow has one type; ONNX lets the exponent have another, and the base decides.
Status pow(NodeContext& c) {
  const DataType base = c.type(0), exponent = c.type(1);
  if (base == exponent || base == DataType::Undefined || exponent == DataType::Undefined) return binary(c);
  const Edge power = TRY(second(c));
  if (is_integer(base) && is_floating(exponent)) {
    const Edge wide = c.cast("CastX", c.in(0), exponent);
    c.give(0, c.cast("CastY", c.add("Pow", {wide, power}), base));
    return {};
  }
  const Edge same = c.cast("CastExponent", power, base);
  c.give(0, c.add("Pow", {c.in(0), same}));
  return {};
}

// fmod 0 is the remainder with the sign of the divisor, 1 (GE's Mod) the one with the sign of the dividend.
Status mod(NodeContext& c) {
  c.give(0, c.add(c.integer("fmod", 0) != 0 ? "Mod" : "FloorMod", c.inputs()));
  return {};
}

Status is_inf(NodeContext& c) {
  const bool positive = c.integer("detect_positive", 1) != 0, negative = c.integer("detect_negative", 1) != 0;
  if (positive && negative) {
    c.give(0, c.add("IsInf", c.inputs()));
    return {};
  }
  const double inf = std::numeric_limits<double>::infinity();
  const double wanted = positive ? inf : negative ? -inf : std::numeric_limits<double>::quiet_NaN();
  c.give(0, c.add("Equal", {c.in(0), c.scalar("Const", wanted, c.type(0))}));
  return {};
}

Status bit_shift(NodeContext& c) {
  const std::string direction = c.text("direction", "");
  if (direction != "LEFT" && direction != "RIGHT") return c.fail("direction must be LEFT or RIGHT");
  c.give(0, c.add(direction == "LEFT" ? "LeftShift" : "RightShift", c.inputs()));
  return {};
}

Status logical_xor(NodeContext& c) {
  const Edge a = c.cast("Cast0", c.in(0), DataType::Int32), b = c.cast("Cast1", TRY(second(c)), DataType::Int32);
  c.give(0, c.cast("Cast2", c.add("BitwiseXor", {a, b}), DataType::Bool));
  return {};
}

// Max and Min of any number of inputs: a chain of pairs.
Status extreme(NodeContext& c) {
  if (c.input_count() == 0) return c.fail("it has no inputs");
  if (c.input_count() == 1) {
    c.give(0, c.add("Identity", c.inputs()));
    return {};
  }
  Edge result = c.in(0);
  for (size_t i = 1; i < c.input_count(); ++i)
    result = c.add({c.ge, formatted("{}_{}", c.ge, i - 1)}, {result, c.in(i)});
  c.give(0, result);
  return {};
}

Attributes count(const NodeContext& c) { return {{"N", static_cast<int64_t>(c.input_count())}}; }

Status sum(NodeContext& c) {
  c.give(0, c.add("AccumulateNV2", c.inputs(), count(c)));
  return {};
}

Status mean(NodeContext& c) {
  const Edge total = c.add("AccumulateNV2", c.inputs(), count(c));
  c.give(0, c.add("Muls", {total}, {{"value", 1.0f / static_cast<float>(c.input_count())}}));
  return {};
}

// ONNX names the type by its own number; before opset 6 by its name.
int64_t wanted_type(const NodeContext& c) {
  if (c.opset >= 6) return c.integer("to", 0);
  constexpr int64_t count = 16;
  for (int64_t number = 1; number < count; ++number)
    if (onnx::type_name(number) == c.text("to", "")) return number;
  return 0;
}

Status cast_to(NodeContext& c) {
  const int64_t number = wanted_type(c);
  const DataType type = onnx::data_type(number);
  if (type == DataType::String || c.type(0) == DataType::String) return c.fail("strings are not supported");
  if (!onnx::is_supported(number))
    return c.fail(formatted("element type {} is not supported", onnx::type_name(number)));
  c.give(0, c.cast("Cast", c.in(0), type));
  return {};
}

Status no_strings(NodeContext& c) { return c.fail("strings are not supported"); }

Status cast_like(NodeContext& c) {
  if (c.type(0) == DataType::String || c.type(1) == DataType::String) return c.fail("strings are not supported");
  c.give(0, c.add("CastLike", c.inputs()));
  return {};
}

constexpr MapRow rows[] = {
    {"Abs", 1, latest, "Abs"},
    {"Acos", 7, latest, "Acos"},
    {"Acosh", 9, latest, "Acosh"},
    {"Add", 1, latest, "Add", binary},
    {"And", 1, latest, "LogicalAnd", binary},
    {"Asin", 7, latest, "Asin"},
    {"Asinh", 9, latest, "Asinh"},
    {"Atan", 7, latest, "Atan"},
    {"Atanh", 9, latest, "Atanh"},
    {"BitShift", 11, latest, "", bit_shift},
    {"BitwiseAnd", 18, latest, "BitwiseAnd"},
    {"BitwiseNot", 18, latest, "Invert"},
    {"BitwiseOr", 18, latest, "BitwiseOr"},
    {"BitwiseXor", 18, latest, "BitwiseXor"},
    {"Cast", 1, latest, "Cast", cast_to},
    {"CastLike", 15, latest, "CastLike", cast_like},
    {"Ceil", 1, latest, "Ceil"},
    {"Cos", 7, latest, "Cos"},
    {"Cosh", 9, latest, "Cosh"},
    {"Div", 1, latest, "RealDiv", binary},
    {"Equal", 1, latest, "Equal", binary},
    {"Erf", 9, latest, "Erf"},
    {"Exp", 1, latest, "Exp"},
    {"Floor", 1, latest, "Floor"},
    {"Greater", 1, latest, "Greater", binary},
    {"GreaterOrEqual", 12, latest, "GreaterEqual"},
    {"IsInf", 10, latest, "IsInf", is_inf},
    {"IsNaN", 9, latest, "IsNan"},
    {"Less", 1, latest, "Less", binary},
    {"LessOrEqual", 12, latest, "LessEqual"},
    {"Log", 1, latest, "Log"},
    {"Max", 1, latest, "Maximum", extreme},
    {"Mean", 1, latest, "AccumulateNV2", mean},
    {"Min", 1, latest, "Minimum", extreme},
    {"Mod", 10, latest, "Mod", mod},
    {"Mul", 1, latest, "Mul", binary},
    {"Neg", 1, latest, "Neg"},
    {"Not", 1, latest, "LogicalNot"},
    {"Or", 1, latest, "LogicalOr", binary},
    {"Pow", 1, latest, "Pow", pow},
    {"Reciprocal", 1, latest, "Reciprocal"},
    {"RegexFullMatch", 20, latest, "", no_strings},
    {"Round", 11, latest, "Round"},
    {"Sign", 9, latest, "Sign"},
    {"Sin", 7, latest, "Sin"},
    {"Sinh", 9, latest, "Sinh"},
    {"Sqrt", 1, latest, "Sqrt"},
    {"StringConcat", 20, latest, "", no_strings},
    {"StringNormalizer", 10, latest, "", no_strings},
    {"StringSplit", 20, latest, "", no_strings},
    {"Sub", 1, latest, "Sub", binary},
    {"Sum", 1, latest, "AccumulateNV2", sum},
    {"Tan", 7, latest, "Tan"},
    {"Where", 9, latest, "SelectV2"},
    {"Xor", 1, latest, "BitwiseXor", logical_xor},
};

}  // namespace

std::span<const MapRow> map_rows_elementwise() { return rows; }

}  // namespace belay::convert
