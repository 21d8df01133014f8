// SPDX-License-Identifier: Apache-2.0
#include "executor/branch.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace belay::executor {
namespace {

using backend::DataType;
using backend::Tensor;

Result<int64_t> first_integer(const Tensor& tensor) {
  if (tensor.count() < 1) return Status{ACL_ERROR_GE_FAILURE, "the tensor that chooses the branch is empty"};
  switch (tensor.type) {
    case DataType::Bool:
    case DataType::UInt8:
      return *tensor.as<uint8_t>();
    case DataType::Int8:
      return *tensor.as<int8_t>();
    case DataType::Int32:
      return *tensor.as<int32_t>();
    case DataType::Int64:
      return *tensor.as<int64_t>();
    case DataType::Float:
      return *tensor.as<float>() != 0;
    default:
      return Status{ACL_ERROR_GE_FAILURE,
                    "a tensor of type " + std::string(graph::name_of(tensor.type)) + " cannot choose a branch"};
  }
}

}  // namespace

bool is_loop(const graph::Node& node) { return node.type == "While" || node.type == "StatelessWhile"; }

bool is_choice(const graph::Node& node) {
  static constexpr std::array<std::string_view, 6> kTypes = {
      "If", "StatelessIf", "Case", "StatelessCase", "PartitionedCall", "StatefulPartitionedCall"};
  return std::find(kTypes.begin(), kTypes.end(), node.type) != kTypes.end();
}

Result<bool> is_true(const Tensor& condition) { return TRY(first_integer(condition)) != 0; }

Result<size_t> choose_branch(const graph::Node& node, std::span<const Tensor> inputs, size_t branches) {
  if (branches == 1) return size_t{0};
  const int64_t value = TRY(first_integer(inputs[0]));
  if (node.type.ends_with("If")) return value != 0 ? size_t{0} : size_t{1};
  const auto last = static_cast<int64_t>(branches) - 1;
  return static_cast<size_t>(value < 0 || value > last ? last : value);  // Case takes the last one by default
}

bool has_task(const graph::Node& node) {
  return !graph::is_graph_input(node) && !graph::is_constant(node) && node.type != "NetOutput" && !is_loop(node) &&
         !is_choice(node) && !is_view(node);
}

bool is_view(const graph::Node& node) {
  static constexpr std::array<std::string_view, 11> kTypes = {"Reshape",     "Flatten",    "FlattenV2", "Squeeze",
                                                              "SqueezeV2",   "SqueezeV3",  "Unsqueeze", "UnsqueezeV2",
                                                              "UnsqueezeV3", "ExpandDims", "Identity"};
  return std::find(kTypes.begin(), kTypes.end(), node.type) != kTypes.end();
}

}  // namespace belay::executor
