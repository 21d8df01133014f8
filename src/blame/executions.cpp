// SPDX-License-Identifier: Apache-2.0
#include "blame/executions.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/text.h"

namespace belay::blame {
namespace {

using compare::SideTensor;
using Tensors = std::vector<const SideTensor*>;

void put(Tensors& tensors, const SideTensor& tensor) {
  if (tensors.size() <= tensor.index) tensors.resize(tensor.index + 1);
  if (!tensors[tensor.index]) tensors[tensor.index] = &tensor;
}

// The inputs of an operator that changes them were recorded before it ran, its outputs afterwards.
void join_inputs(std::vector<Record>& records) {
  std::map<std::pair<std::string, uint64_t>, size_t> waiting;  // records with inputs only
  std::vector<bool> gone(records.size());
  for (size_t i = 0; i < records.size(); ++i) {
    Record& record = records[i];
    const auto key = std::pair(record.op, record.task);
    if (record.outputs.empty()) {
      waiting[key] = i;
    } else if (const auto found = waiting.find(key); found != waiting.end()) {
      if (record.inputs.empty()) record.inputs = std::move(records[found->second].inputs);
      gone[found->second] = true;
      waiting.erase(found);
    }
  }
  size_t at = 0;
  std::erase_if(records, [&](const Record&) { return gone[at++]; });
}

int64_t step_of(const std::filesystem::path& place) {
  const auto number = parse_number(place.filename().string());
  return number ? static_cast<int64_t>(*number) : -1;
}

}  // namespace

std::vector<Execution> executions_of(const compare::Side& side) {
  std::map<std::filesystem::path, Execution> found;
  std::map<std::tuple<std::filesystem::path, std::string, uint64_t, uint64_t>, size_t> known;
  for (const SideTensor& tensor : side.tensors) {
    Execution& execution = found[tensor.place];
    const auto [at, added] =
        known.try_emplace({tensor.place, tensor.op, tensor.task, tensor.time}, execution.records.size());
    if (added) execution.records.push_back({tensor.op, tensor.op_type, tensor.time, tensor.task, {}, {}});
    Record& record = execution.records[at->second];
    put(tensor.input ? record.inputs : record.outputs, tensor);
  }
  std::vector<Execution> executions;
  for (auto& [place, execution] : found) {
    std::ranges::stable_sort(execution.records, {}, &Record::time);
    join_inputs(execution.records);
    execution.place = place;
    execution.step = step_of(place);
    executions.push_back(std::move(execution));
  }
  std::ranges::stable_sort(executions, {},
                           [](const Execution& each) { return std::pair(each.place.parent_path(), each.step); });
  return executions;
}

}  // namespace belay::blame
