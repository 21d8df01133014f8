// SPDX-License-Identifier: Apache-2.0
#include "convert/onnx/name_check.h"

#include <map>

#include "base/text.h"

namespace belay::convert {
namespace {

// By the tensor that each makes.
using Makers = std::map<std::string, std::string, std::less<>>;

std::string told(const onnx::Node& node, size_t index) {
  return node.name.empty() ? formatted("node {} ({})", index, node.type)
                           : formatted("node {} ({})", node.name, node.type);
}

Status add(Makers& makers, const std::string& tensor, std::string maker) {
  const auto [known, added] = makers.try_emplace(tensor, std::move(maker));
  if (added) return {};
  return {ACL_ERROR_PARSE_MODEL,
          formatted("tensor {} has two makers: {} and {}; ONNX allows one", tensor, known->second, maker)};
}

}  // namespace

Status check_names(const onnx::Graph& graph) {
  Makers makers;
  for (const auto& input : graph.inputs) TRY(add(makers, input.name, "a graph input"));
  // An input may have an initializer, its default; of two initializers the last one counts, as elsewhere.
  for (const auto& tensor : graph.initializers) makers.try_emplace(tensor.name, "an initializer");
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const onnx::Node& node = graph.nodes[i];
    for (const auto& tensor : node.outputs)
      if (!tensor.empty()) TRY(add(makers, tensor, told(node, i)));
    for (const auto& attribute : node.attributes)
      if (attribute.g) TRY(check_names(*attribute.g));
  }
  return {};
}

}  // namespace belay::convert
