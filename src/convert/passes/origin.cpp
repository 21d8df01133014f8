// SPDX-License-Identifier: Apache-2.0
#include "convert/passes/origin.h"

namespace belay::convert {
namespace {

constexpr std::string_view names_key = "_datadump_original_op_names";
constexpr std::string_view types_key = "_datadump_original_op_types";

std::vector<std::string> original_types(const graph::Node& node) {
  if (const auto* types = graph::get_if<std::vector<std::string>>(node.attributes, types_key)) return *types;
  return std::vector<std::string>(original_names(node).size(), node.type);
}

void append(std::vector<std::string>& to, const std::vector<std::string>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

}  // namespace

void set_origin(graph::Node& into, std::span<const graph::Node* const> members, const graph::Node& last) {
  std::vector<std::string> names, types;
  for (const auto* member : members) {
    append(names, original_names(*member));
    append(types, original_types(*member));
  }
  auto& output = into.outputs.front();
  const auto& made = last.outputs.front();
  const auto known = original_names(last);
  const std::string origin =
      graph::get_or<std::string>(made.attributes, "_datadump_origin_name", known.empty() ? last.name : known.back());
  const auto index = graph::get_or<int64_t>(made.attributes, "_datadump_origin_output_index", 0);
  output.attributes["_datadump_origin_name"] = origin;
  output.attributes["_datadump_origin_output_index"] = index;
  output.attributes["_datadump_origin_format"] = std::string(graph::name_of(made.origin_format));
  output.attributes["_datadump_origin_data_type"] = std::string(graph::name_of(made.type));
  output.attributes["_fusion_origin_name"] = last.name;
  output.attributes["_fusion_origin_output_index"] = int64_t{0};
  into.attributes[std::string(names_key)] = std::move(names);
  into.attributes[std::string(types_key)] = std::move(types);
}

void set_no_origin(graph::Node& node) { node.attributes[std::string(names_key)] = std::vector<std::string>{}; }

}  // namespace belay::convert
