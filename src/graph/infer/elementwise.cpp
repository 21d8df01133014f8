// SPDX-License-Identifier: Apache-2.0
// Operators that work element by element: one rule for each way of combining shapes and types.
#include "base/text.h"
#include "graph/infer/rows.h"

namespace belay::graph {
namespace {

Status same_as_first(InferContext& c) {
  c.add_output(c.inputs[0].type, c.shape(0));
  return {};
}

Status first_as_bool(InferContext& c) {
  c.add_output(DataType::Bool, c.shape(0));
  return {};
}

// All inputs from `first` on broadcast together.
Result<Shape> broadcast_all(const InferContext& c, size_t first = 0) {
  Shape shape = c.shape(first);
  for (size_t i = first + 1; i < c.inputs.size(); ++i) {
    if (!c.has(i)) continue;
    auto joined = broadcast(shape, c.shape(i));
    if (!joined.ok()) return c.fail(joined.status().message);
    shape = *joined;
  }
  return shape;
}

Status broadcast_inputs(InferContext& c) {
  c.add_output(c.inputs[0].type, TRY(broadcast_all(c)));
  return {};
}

Status compare_inputs(InferContext& c) {
  c.add_output(DataType::Bool, TRY(broadcast_all(c)));
  return {};
}

Status select_inputs(InferContext& c) {
  c.add_output(c.inputs[1].type, TRY(broadcast_all(c)));
  return {};
}

// The condition picks rows: it may have only the first dimension of the others.
Status select_rows(InferContext& c) {
  c.add_output(c.inputs[1].type, c.shape(1));
  return {};
}

Status cast_to_attribute(InferContext& c) {
  const int64_t* type = get_if<int64_t>(c.node.attributes, "dst_type");
  if (!type) return c.fail("attribute dst_type is missing");
  c.add_output(static_cast<DataType>(*type), c.shape(0));
  return {};
}

Status cast_like(InferContext& c) {
  c.add_output(c.inputs[1].type, c.shape(0));
  return {};
}

Status complex_parts(InferContext& c) {
  const DataType part = c.inputs[0].type == DataType::Complex128 ? DataType::Double : DataType::Float;
  c.add_output(part, c.shape(0));
  return {};
}

Status complex_of(InferContext& c) {
  const DataType whole = c.inputs[0].type == DataType::Double ? DataType::Complex128 : DataType::Complex64;
  c.add_output(whole, TRY(broadcast_all(c)));
  return {};
}

constexpr std::string_view kUnary[] = {
    "Abs",
    "Acos",
    "Acosh",
    "Adds",
    "Asin",
    "Asinh",
    "Atan",
    "Atanh",
    "BNLL",
    "BesselI0e",
    "BesselI1e",
    "BitwiseNot",
    "Ceil",
    "Celu",
    "CeluV2",
    "CheckNumerics",
    "Cos",
    "Cosh",
    "Dawsn",
    "Digamma",
    "Elu",
    "Erf",
    "Erfc",
    "Erfinv",
    "Exp",
    "Expint",
    "Expm1",
    "FakeQuantWithMinMaxArgs",
    "FastGelu",
    "FastGeluV2",
    "Fills",
    "Floor",
    "FresnelCos",
    "FresnelSin",
    "Gelu",
    "GeluV2",
    "HardShrink",
    "HardSigmoid",
    "HardSwish",
    "HardtanhV2",
    "HardSwishV2",
    "Inv",
    "Invert",
    "LeakyRelu",
    "LeakyreluV2",
    "Lgamma",
    "Log",
    "Log1p",
    "LogSigmoid",
    "LogicalNot",
    "Logit",
    "Mish",
    "Muls",
    "NanToNum",
    "Ndtri",
    "Neg",
    "PRelu",
    "Power",
    "Reciprocal",
    "Relu",
    "Relu6",
    "Relu6D",
    "Rint",
    "Round",
    "Rsqrt",
    "Selu",
    "Shrink",
    "Sigmoid",
    "Sign",
    "Sin",
    "Sinc",
    "Sinh",
    "SoftShrink",
    "Softplus",
    "SoftplusV2",
    "Softsign",
    "Spence",
    "Sqrt",
    "Square",
    "Swish",
    "Tan",
    "Tanh",
    "Threshold",
    "ThresholdV2",
    "ThresholdedRelu",
    "Trunc",
    "Bias",
    "BiasAdd",
    "Scale",
};
constexpr std::string_view kBinary[] = {
    "Add",
    "AddN",
    "AccumulateNV2",
    "AddV2",
    "Atan2",
    "Axpy",
    "AxpyV2",
    "BitwiseAnd",
    "BitwiseOr",
    "BitwiseXor",
    "Div",
    "DivNoNan",
    "DivV2",
    "DivV3",
    "Eltwise",
    "FloorDiv",
    "FloorMod",
    "Gcd",
    "LeftShift",
    "Lerp",
    "LogAddExp",
    "Maximum",
    "MaximumV2",
    "Minimum",
    "Mod",
    "Mul",
    "MulNoNan",
    "MulV2",
    "Pow",
    "Pows",
    "RealDiv",
    "RightShift",
    "SquaredDifference",
    "Sub",
    "SubV2",
    "TruncateDiv",
    "TruncateMod",
    "Xdivy",
    "Xlogy",
    "ClipByValue",
    "ClipByValueV2",
    "Addcdiv",
    "Addcmul",
    "FusedMulAdd",
    "FusedMulAddN",
    "FusedMulAddAdd",
    "NextAfter",
    "Zeta",
    "Igamma",
    "Igammac",
};
constexpr std::string_view kCompare[] = {
    "ApproximateEqual", "Equal",      "Greater",   "GreaterEqual", "IsClose", "Less",
    "LessEqual",        "LogicalAnd", "LogicalOr", "NotEqual",
};
constexpr std::string_view kPredicate[] = {"IsFinite", "IsInf", "IsNan", "IsNegInf", "IsPosInf"};

std::vector<InferRow> make_rows() {
  std::vector<InferRow> rows = {
      {"Cast", cast_to_attribute},   {"CastLike", cast_like}, {"SelectV2", select_inputs}, {"Select", select_rows},
      {"ComplexAbs", complex_parts}, {"Real", complex_parts}, {"Imag", complex_parts},     {"Angle", complex_parts},
      {"Complex", complex_of},       {"Conj", same_as_first},
  };
  for (const auto op : kUnary) rows.push_back({op, same_as_first});
  for (const auto op : kBinary) rows.push_back({op, broadcast_inputs});
  for (const auto op : kCompare) rows.push_back({op, compare_inputs});
  for (const auto op : kPredicate) rows.push_back({op, first_as_bool});
  return rows;
}

}  // namespace

std::span<const InferRow> infer_rows_elementwise() {
  static const auto& rows = *new const std::vector<InferRow>(make_rows());
  return rows;
}

}  // namespace belay::graph
