// SPDX-License-Identifier: Apache-2.0
// Operators that work element by element: arithmetic, comparison, logic, bits.
#include <limits>

#include "base/text.h"
#include "convert/mapping.h"
#include "convert/node_context.h"
#include "convert/numbers.h"
#include "convert/onnx_types.h"

namespace belay::convert {
namespace {

// Before opset 7 an attribute said how to broadcast.
Status binary(NodeContext& c) {
  if (c.opset < 7 && (c.integer("broadcast", 0) != 0 || c.given("axis")))
    return c.fail("broadcasting by attribute, as before opset 7, is not supported");
  c.give(0, c.add(c.ge, c.inputs()));
  return {};
}

// GE's Pow has one type; ONNX lets the exponent have another, and the base decides.
Status pow(NodeContext& c) {
  const DataType base = c.type(0), exponent = c.type(1);
  if (base == exponent || base == DataType::Undefined || exponent == DataType::Undefined) return binary(c);
  if (is_integer(base) && is_floating(exponent)) {
    const Edge wide = c.cast("CastX", c.in(0), exponent);
    c.give(0, c.cast("CastY", c.add("Pow", {wide, c.in(1)}), base));
    return {};
  }
  const Edge same = c.cast("CastExponent", c.in(1), base);
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
  const Edge a = c.cast("Cast0", c.in(0), DataType::Int32), b = c.cast("Cast1", c.in(1), DataType::Int32);
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

// ONNX names the type by its own number; opset 1 by its name.
Status cast_to(NodeContext& c) {
  if (c.opset < 6) return c.fail("Cast before opset 6 is not supported");
  const auto* to = c.node.find("to");
  const DataType type = to ? onnx::data_type(to->i) : DataType::Undefined;
  if (type == DataType::Undefined) return c.fail(formatted("element type {} is not known", c.integer("to", 0)));
  if (type == DataType::String || c.type(0) == DataType::String) return c.fail("strings are not supported");
  c.give(0, c.cast("Cast", c.in(0), type));
  return {};
}

Status cast_like(NodeContext& c) {
  if (c.type(0) == DataType::String || c.type(1) == DataType::String) return c.fail("strings are not supported");
  c.give(0, c.add("CastLike", c.inputs()));
  return {};
}

constexpr MapRow rows[] = {
    {"Abs", 6, latest, "Abs"},
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
    {"Identity", 1, latest, "Identity"},
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
    {"Round", 11, latest, "Round"},
    {"Sign", 9, latest, "Sign"},
    {"Sin", 7, latest, "Sin"},
    {"Sinh", 9, latest, "Sinh"},
    {"Sqrt", 1, latest, "Sqrt"},
    {"Sub", 1, latest, "Sub", binary},
    {"Sum", 1, latest, "AccumulateNV2", sum},
    {"Tan", 7, latest, "Tan"},
    {"Where", 9, latest, "SelectV2"},
    {"Xor", 1, latest, "BitwiseXor", logical_xor},
};

}  // namespace

std::span<const MapRow> map_rows_elementwise() { return rows; }

}  // namespace belay::convert
