// SPDX-License-Identifier: Apache-2.0
#include "inspect/overflow.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "dump/format/record_reader.h"
#include "graph/tensor/finite.h"
#include "inspect/opdebug.h"
#include "inspect/tensor.h"

namespace belay::inspect {
namespace {

using Json = nlohmann::ordered_json;

// The part of the record that has the ids: of the older layout that with a status.
const Json& ids_of(const Json& record) {
  if (record.contains("acc_list")) return record["acc_list"]["data"];
  for (const Json& section : record)
    if (section["status"] != 0) return section;
  return record["AI Core"];
}

uint64_t status_of(const Json& ids) {
  const Json& status = ids["status"];
  if (!status.is_array()) return status.get<uint64_t>();
  const auto set = std::ranges::find_if(status, [](const Json& word) { return word != 0; });
  return set == status.end() ? 0 : set->get<uint64_t>();
}

bool is_below(const std::filesystem::path& file, const std::filesystem::path& folder) {
  const auto [end, ignored] = std::mismatch(folder.begin(), folder.end(), file.begin(), file.end());
  return end == folder.end();
}

const FoundDump* find_operator(const Overflow& overflow, const std::vector<FoundDump>& dumps) {
  const FoundDump* best = nullptr;
  const auto before = [&](const FoundDump& dump) { return dump.time < overflow.found_by.time; };
  const auto folder = overflow.found_by.path.parent_path();
  for (const FoundDump& dump : dumps) {
    if (is_opdebug(dump.name) || dump.task != overflow.task || dump.stream != overflow.stream) continue;
    if (!is_below(dump.path.parent_path(), folder)) continue;
    if (!best || std::pair(before(dump), dump.time) < std::pair(before(*best), best->time)) best = &dump;
  }
  return best;
}

void find_first(const DumpedTensor& tensor, OverflowTensor& found) {
  const size_t bits = graph::bits_of(tensor.type);
  const int64_t count = graph::element_count(tensor.shape);
  if (bits < 8 || count <= 0 || tensor.bytes.size() < graph::bytes_of(tensor.type, count)) return;
  const void* data = tensor.bytes.data();
  if (graph::all_finite(tensor.type, data, static_cast<uint64_t>(count))) return;
  int64_t at = 0;
  for (int64_t left = count; left > 1;) {  // it is among `left` elements from `at`
    const int64_t half = left / 2;
    const bool later = graph::all_finite(tensor.type, data, static_cast<uint64_t>(at + half));
    at += later ? half : 0;
    left = later ? left - half : half;
  }
  found.first_index = index_text(tensor.shape, at);
  found.first_value = element_text(tensor, at);
}

// The operator that a file is about: the kernels of aclnn calls have it in their name.
std::string type_in(const FoundDump& op) {
  constexpr std::string_view kernel = "AiCore";
  if (!op.op_type.ends_with("_L0") || !op.op_name.ends_with(kernel)) return op.op_type;
  return op.op_name.substr(0, op.op_name.size() - kernel.size());
}

Status read_operator(const FoundDump& op, Overflow& overflow) {
  overflow.op = op;
  for (TensorLine& line : TRY(describe(op, 0))) overflow.tensors.push_back({std::move(line), "", ""});
  if (op.statistics) return {};
  const dump::DumpFile file = TRY(dump::read_dump(op.path));
  const auto stored = tensors_of(file);
  for (size_t i = 0; i < std::min(stored.size(), overflow.tensors.size()); ++i)
    find_first(stored[i], overflow.tensors[i]);
  overflow.cause = find_cause(type_in(op), stored);
  return {};
}

}  // namespace

Result<Overflow> read_overflow(const FoundDump& debug, const std::vector<FoundDump>& dumps) {
  const dump::DumpFile file = TRY(dump::read_dump(debug.path));
  if (file.outputs.empty())
    return Status{ACL_ERROR_PARSE_FILE, formatted("{}: there is no overflow record in it", debug.path.string())};
  const auto text = opdebug_json(file.outputs[0]);
  if (!text.ok()) return Status{text.status().code, formatted("{}: {}", debug.path.string(), text.status().message)};
  const auto record = Json::parse(*text);
  const Json& ids = ids_of(record);
  Overflow overflow{.found_by = debug,
                    .model_id = ids["model_id"].get<uint64_t>(),
                    .stream = ids["stream_id"].get<uint64_t>(),
                    .task = ids["task_id"].get<uint64_t>(),
                    .status = status_of(ids)};
  if (const FoundDump* op = find_operator(overflow, dumps)) TRY(read_operator(*op, overflow));
  return overflow;
}

Result<Overflow> overflow_of(const FoundDump& op) {
  Overflow overflow{.found_by = op, .stream = op.stream.value_or(0), .task = op.task.value_or(0)};
  TRY(read_operator(op, overflow));
  return overflow;
}

}  // namespace belay::inspect
