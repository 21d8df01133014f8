// SPDX-License-Identifier: Apache-2.0
// Operators that only choose and place elements: nothing is rounded, and errors travel with their elements.
#include <algorithm>

#include "exact/models/model.h"

namespace belay::exact {
namespace {

// The values replaced by what they may be off by; integers, which say what goes where, stay.
std::vector<Value> errors_as_values(const Operation& operation) {
  std::vector<Value> made = operation.values();
  for (size_t i = 0; i < made.size(); ++i) {
    if (!made[i].present || !made[i].real()) continue;
    const auto& errors = operation.inputs[i].errors;
    made[i] = make_value(made[i].shape, errors ? *errors : std::vector<double>(static_cast<size_t>(made[i].count())));
  }
  return made;
}

Status move(const Operation& operation, std::span<Tracked> outputs) {
  if (!operation.inexact()) return {};
  const auto moved = TRY(operation.again(errors_as_values(operation)));
  for (size_t o = 0; o < outputs.size(); ++o)
    if (outputs[o].value.real()) {
      const auto errors = moved[o].doubles();
      outputs[o].errors = std::make_shared<const std::vector<double>>(errors.begin(), errors.end());
    }
  return {};
}

// What goes where depends on the values themselves.
Status choose(const Operation& operation, std::span<Tracked>) {
  if (operation.inexact()) return not_checkable(operation.node, "it chooses by values that may be rounded differently");
  return {};
}

constexpr std::string_view moves[] = {
    "BroadcastTo",
    "BroadcastToD",
    "Concat",
    "ConcatD",
    "ConcatV2",
    "ConcatV2D",
    "DepthToSpace",
    "Expand",
    "ExpandD",
    "Gather",
    "GatherElements",
    "GatherNd",
    "GatherV2",
    "GatherV2D",
    "MaskedFill",
    "MaskedScatter",
    "MaskedSelect",
    "MaskedSelectV2",
    "MatrixDiag",
    "MatrixDiagV2",
    "MatrixDiagV3",
    "MirrorPad",
    "Pack",
    "Pad",
    "PadD",
    "PadV2",
    "PadV2D",
    "PadV3",
    "PadV3D",
    "Permute",
    "ReverseSequence",
    "ShuffleChannel",
    "ReverseV2",
    "ReverseV2D",
    "Roll",
    "ScatterNdUpdate",
    "ScatterUpdate",
    "Select",
    "SelectV2",
    "Slice",
    "SliceD",
    "SpaceToDepth",
    "Split",
    "SplitD",
    "SplitV",
    "SplitVD",
    "StridedSlice",
    "StridedSliceAssign",
    "StridedSliceAssignD",
    "StridedSliceD",
    "StridedSliceV2",
    "StridedSliceV3",
    "TensorScatterUpdate",
    "Tile",
    "TileD",
    "TileWithAxis",
    "Transpose",
    "TransposeD",
    "Tril",
    "Trilu",
    "Triu",
    "Unpack",
    "Dropout",
    "End",
    "ExpandDims",
    "Flatten",
    "FlattenV2",
    "GuaranteeConst",
    "Identity",
    "IdentityN",
    "MemcpyAsync",
    "PlaceHolder",
    "PreventGradient",
    "Reshape",
    "Snapshot",
    "Squeeze",
    "SqueezeV2",
    "SqueezeV3",
    "StopGradient",
    "TensorMove",
    "TransData",
    "Unsqueeze",
    "UnsqueezeV2",
    "UnsqueezeV3",
};

constexpr std::string_view choices[] = {
    "ApproximateEqual",
    "ArgMaxD",
    "ArgMaxV2",
    "ArgMin",
    "ArgMinD",
    "Bitcast",
    "BitwiseAnd",
    "BitwiseOr",
    "BitwiseXor",
    "Equal",
    "Eye",
    "Fill",
    "FillD",
    "FillV2D",
    "Fills",
    "Greater",
    "GreaterEqual",
    "HardMax",
    "Invert",
    "IsFinite",
    "IsInf",
    "IsNan",
    "LeftShift",
    "Less",
    "LessEqual",
    "LogicalAnd",
    "LogicalNot",
    "LogicalOr",
    "LogicalXor",
    "MapIndex",
    "NonZero",
    "NotEqual",
    "OneHot",
    "OneHotD",
    "OnesLike",
    "Rank",
    "ReduceAll",
    "ReduceAllD",
    "ReduceAny",
    "ReduceAnyD",
    "RightShift",
    "SearchSorted",
    "Shape",
    "ShapeN",
    "Size",
    "Sort",
    "TopK",
    "TopKD",
    "TopKV2",
    "TopKV2D",
    "Unique",
    "UniqueWithCounts",
    "UniqueWithCountsAndSorting",
    "UniqueWithCountsExt2",
    "Where",
    "ZerosLike",
    "ArgMaxWithValue",
    "ArgMinWithValue",
    "ThresholdV2",
};

}  // namespace

std::span<const ErrorModelRow> movement_models() {
  static const auto* rows = [] {
    auto* made = new std::vector<ErrorModelRow>;
    for (const std::string_view op : moves) made->push_back({op, move});
    for (const std::string_view op : choices) made->push_back({op, choose});
    return made;
  }();
  return *rows;
}

}  // namespace belay::exact
