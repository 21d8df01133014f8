// SPDX-License-Identifier: Apache-2.0
#include "graph/model/origin.h"

namespace belay::graph {

std::vector<std::string> original_names(const Node& node) {
  if (const auto* names = get_if<std::vector<std::string>>(node.attributes, "_datadump_original_op_names"))
    return *names;
  return {node.name};
}

std::optional<OriginalOutput> original_output(const Node& node, size_t output) {
  OriginalOutput made{.index = static_cast<uint32_t>(output)};
  const Attributes& told = node.outputs[output].attributes;
  if (const auto* name = get_if<std::string>(told, "_datadump_origin_name")) {
    made.op = *name;
    made.index = static_cast<uint32_t>(get_or<int64_t>(told, "_datadump_origin_output_index", output));
  } else if (const auto names = original_names(node); !names.empty()) {
    made.op = names.back();
  }
  if (made.op.empty()) return {};
  return made;
}

}  // namespace belay::graph
