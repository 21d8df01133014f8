// SPDX-License-Identifier: Apache-2.0
#include "dump/observers/growth.h"

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "backend/finite.h"
#include "base/json_text.h"
#include "dump/format/types.h"
#include "graph/tensor/finite.h"

namespace belay::dump {
namespace {

using Json = nlohmann::ordered_json;

// JSON has no infinity and no NaN.
Json number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return "inf";
  return value;
}

Json tensor_json(graph::DataType type, double most) {
  return {{"dtype", std::string(type_name(graph::to_proto(type)))}, {"max_abs", number(most)}};
}

double magnitude_of(const graph::Constant& constant) {
  const int64_t count = graph::element_count(constant.shape);
  if (count <= 0 || constant.bytes.size() < graph::bytes_of(constant.type, count)) return 0;
  return graph::largest_magnitude(constant.type, constant.bytes.data(), static_cast<uint64_t>(count));
}

}  // namespace

void Growth::saw(const ChosenNode& chosen, std::span<const Tensor> inputs, std::span<const Tensor> outputs,
                 std::span<const double> most) {
  for (const ChosenTensor& input : chosen.inputs) {
    if (!input.value.node || input.port >= inputs.size() || !graph::is_graph_input(*input.value.node)) continue;
    const auto [seen, added] = seen_.try_emplace(input.value);
    if (!added) continue;
    const Tensor& tensor = inputs[input.port];
    seen->second = {next_++, tensor.type, backend::largest_magnitude(tensor)};
  }
  for (const ChosenTensor& output : chosen.outputs)
    if (output.value.node && output.port < outputs.size())
      seen_[output.value] = {next_++, outputs[output.port].type, most[output.port], &chosen};
}

std::string Growth::chain_of(const ChosenNode& culprit, const RunInfo& run) const {
  std::map<size_t, ValueKey> chain;  // by order
  std::vector<const ChosenNode*> open{&culprit};
  const auto add = [&](const ValueKey& value) {
    const auto found = seen_.find(value);
    if (found == seen_.end() || !chain.emplace(found->second.order, value).second) return;
    if (found->second.chosen) open.push_back(found->second.chosen);
  };
  for (const ChosenTensor& output : culprit.outputs) add(output.value);
  while (!open.empty()) {
    const ChosenNode* node = open.back();
    open.pop_back();
    for (const ChosenTensor& input : node->inputs) add(input.value);
  }
  if (chain.empty()) return "";
  Json rows = Json::array();
  std::unordered_map<ValueKey, size_t, ValueKeyHash> row_of;
  for (const auto& [order, value] : chain) {
    const Seen& seen = seen_.at(value);
    row_of[value] = rows.size();
    Json row{{"op_type", value.node->type}, {"op_name", value.node->name}, {"output", value.output}};
    row.update(tensor_json(seen.type, seen.most));
    Json from = Json::array();
    for (const ChosenTensor& input : seen.chosen ? seen.chosen->inputs : std::vector<ChosenTensor>{}) {
      if (const auto known = row_of.find(input.value); known != row_of.end())
        from.push_back({{"input", input.port}, {"row", known->second}});
      else if (input.constant)
        from.push_back(
            {{"input", input.port}, {"constant", tensor_json(input.constant->type, magnitude_of(*input.constant))}});
    }
    row["from"] = std::move(from);
    rows.push_back(std::move(row));
  }
  const Json whole{{"op_name", culprit.name},
                   {"task_id", run.task_id},
                   {"stream_id", run.stream_id},
                   {"data_index", run.data_index},
                   {"values", std::move(rows)}};
  return json_text(whole, 1) + "\n";
}

}  // namespace belay::dump
