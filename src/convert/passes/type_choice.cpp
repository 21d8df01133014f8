// SPDX-License-Identifier: Apache-2.0
#include "convert/passes/type_choice.h"

#include <algorithm>
#include <array>

#include "convert/passes/origin.h"

namespace belay::convert {
namespace {

template <size_t N>
bool is_one_of(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

constexpr auto cube_types =
    std::to_array<std::string_view>({"Conv2D", "Conv3D", "Conv2DTranspose", "Conv3DTranspose", "DepthwiseConv2D",
                                     "MatMul", "MatMulV2", "BatchMatMul", "BatchMatMulV2", "GEMM", "Einsum"});

// Under mixed precision these take the type of their inputs.
constexpr auto following_types = std::to_array<std::string_view>({"Relu",
                                                                  "Relu6",
                                                                  "LeakyRelu",
                                                                  "PRelu",
                                                                  "Sigmoid",
                                                                  "Tanh",
                                                                  "HardSwish",
                                                                  "HardSigmoid",
                                                                  "Swish",
                                                                  "GeluV2",
                                                                  "Add",
                                                                  "AccumulateNV2",
                                                                  "Sub",
                                                                  "Mul",
                                                                  "Maximum",
                                                                  "Minimum",
                                                                  "MaxPoolV3",
                                                                  "AvgPoolV2",
                                                                  "MaxPool3D",
                                                                  "GlobalAveragePool",
                                                                  "ConcatD",
                                                                  "Split",
                                                                  "SplitV",
                                                                  "Reshape",
                                                                  "Flatten",
                                                                  "Squeeze",
                                                                  "SqueezeV3",
                                                                  "Unsqueeze",
                                                                  "UnsqueezeV3",
                                                                  "Transpose",
                                                                  "StridedSliceV2",
                                                                  "GatherV2",
                                                                  "PadV3",
                                                                  "Resize",
                                                                  "DepthToSpace",
                                                                  "SpaceToDepth",
                                                                  "ShuffleChannel",
                                                                  "ClipByValue",
                                                                  "Identity",
                                                                  "Expand",
                                                                  "Tile",
                                                                  "Pack"});

// Operators that keep the types they have, whatever the mode.
constexpr auto kept_types = std::to_array<std::string_view>(
    {"Cast", "CastLike", "Range", "Quantize", "NonMaxSuppressionV6", "RandomUniform", "RandomStandardNormal",
     "Multinomial", "If", "While", "Case", "AscendQuant", "AscendDequant", "Aipp", "HcomSend", "HcomReceive"});

bool names_it(const OperatorNames& list, const graph::Node& node) {
  if (list.types.contains(node.type) || list.names.contains(node.name)) return true;
  return !list.names.empty() && std::ranges::any_of(original_names(node), [&list](const std::string& name) {
    return list.names.contains(name);
  });
}

}  // namespace

bool is_cube(std::string_view type) { return is_one_of(cube_types, type); }

bool TypeChoice::keeps(const graph::Node& node) const {
  return node.type == "NetOutput" || is_one_of(kept_types, node.type) || !node.subgraphs.empty() ||
         names_it(rules_.kept, node);
}

const CustomTypes* TypeChoice::custom(const graph::Node& node) const {
  if (rules_.custom.empty() || node.type == "NetOutput" || !node.subgraphs.empty()) return nullptr;
  const auto names = original_names(node);
  const CustomTypes* by_type = nullptr;
  for (const CustomTypes& row : rules_.custom) {
    if (row.by_type && row.name == node.type) by_type = &row;
    if (!row.by_type && (row.name == node.name || std::ranges::find(names, row.name) != names.end())) return &row;
  }
  return by_type;
}

MixList TypeChoice::list_of(std::string_view type) const {
  if (const auto found = rules_.lists.find(type); found != rules_.lists.end()) return found->second;
  if (is_cube(type)) return MixList::White;
  return is_one_of(following_types, type) ? MixList::Gray : MixList::Black;
}

}  // namespace belay::convert
