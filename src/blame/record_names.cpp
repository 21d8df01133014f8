// SPDX-License-Identifier: Apache-2.0
#include "blame/record_names.h"

#include "dump/format/names.h"
#include "executor/branch.h"

namespace belay::blame {
namespace {

constexpr std::string_view kOriginalNames = "_datadump_original_op_names";

bool is_inserted(const Record& record) { return record.op_type == "TransData" || record.op_type == "Cast"; }

}  // namespace

RecordNames::RecordNames(const graph::Model& model) {
  for (const graph::Graph& graph : model.graphs)
    for (const graph::Node& node : graph.nodes) {
      if (!executor::has_task(node) && !graph::is_graph_input(node)) continue;
      names_.emplace(dump::mangled(node.name), node.name);
      names_[node.name] = node.name;
      const auto sources = graph::get_or(node.attributes, kOriginalNames, std::vector<std::string>{node.name});
      if (sources.empty()) continue;
      last_of_[node.name] = sources.back();
      origins_[sources.back()] = node.name;
    }
}

std::string RecordNames::by_name(const Record& record) const {
  const auto found = names_.find(record.op);
  if (found == names_.end()) return "";
  const compare::SideTensor* first = record.outputs.empty() ? nullptr : record.outputs[0];
  if (!first || first->origin.empty() || first->origin == found->second) return found->second;
  const auto last = last_of_.find(found->second);
  if (last != last_of_.end() && last->second == first->origin) return found->second;
  return by_origin(record, *first).empty() ? found->second : "";  // its result is that of a later operator
}

std::string RecordNames::by_origin(const Record& record, const compare::SideTensor& output) const {
  if (output.origin.empty() || is_inserted(record)) return "";
  if (const auto found = origins_.find(output.origin); found != origins_.end()) return found->second;
  const auto found = names_.find(output.origin);
  return found == names_.end() ? "" : found->second;
}

bool RecordNames::knows(const Record& record) const {
  if (!by_name(record).empty()) return true;
  for (const compare::SideTensor* output : record.outputs)
    if (output && !by_origin(record, *output).empty()) return true;
  return false;
}

}  // namespace belay::blame
