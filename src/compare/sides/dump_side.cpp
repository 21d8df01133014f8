// SPDX-License-Identifier: Apache-2.0
#include "compare/sides/dump_side.h"

#include <algorithm>

#include "base/text.h"
#include "compare/matching/places.h"
#include "compare/sides/stored_source.h"
#include "inspect/dump_tree.h"
#include "inspect/tensor.h"

namespace belay::compare {
namespace {

namespace fs = std::filesystem;

Status about(const fs::path& file, const Status& problem) {
  return {problem.code, formatted("{}: {}", file.string(), problem.message)};
}

Result<dump::DumpFile> read_file(const fs::path& file) {
  auto dump = dump::read_dump(file);
  if (!dump.ok() && dump.status().code == ACL_ERROR_PARSE_FILE) return about(file, dump.status());
  return dump;
}

StoredTensor stored_tensor(const inspect::DumpedTensor& tensor) {
  StoredTensor stored{.type = tensor.type, .form = {tensor.format, tensor.shape, tensor.groups}};
  stored.logical = inspect::logical_form(tensor);
  stored.bytes = tensor.bytes;
  if (tensor.type == graph::DataType::Undefined) {  // as msaccucmp converts it
    stored.type = graph::DataType::Int8;
    stored.form = stored.logical = {graph::Format::ND, {static_cast<int64_t>(tensor.bytes.size())}};
  }
  return stored;
}

Result<Source> open_tensor(const fs::path& file, bool input, size_t index) {
  const dump::DumpFile dump = TRY(read_file(file));
  for (const inspect::DumpedTensor& tensor : inspect::tensors_of(dump)) {
    if (tensor.input != input || tensor.index != index) continue;
    StoredTensor stored = stored_tensor(tensor);
    stored.owner = dump.file;
    auto source = make_stored_source(std::move(stored));
    return source.ok() ? std::move(source) : Result<Source>(about(file, source.status()));
  }
  return Status{ACL_ERROR_INVALID_FILE, formatted("{} has changed", file.string())};
}

SideTensor tensor_of(const inspect::FoundDump& found, const dump::Header& header, bool input, size_t index) {
  SideTensor tensor{.op = header.op_name, .op_type = found.op_type, .input = input, .index = index};
  if (tensor.op.empty()) tensor.op = found.op_name.empty() ? found.name : found.op_name;
  const auto& entry = input ? header.inputs[index] : header.outputs[index];
  if (entry.original_op) {
    tensor.origin = entry.original_op->name;
    tensor.origin_index = entry.original_op->output_index;
  }
  tensor.address = entry.address;
  tensor.place = found.folder == "." ? fs::path() : found.folder;
  tensor.file = found.path;
  tensor.mapped = found.mapped;
  tensor.time = header.dump_time;
  tensor.task = found.task.value_or(0);
  tensor.open = [file = found.path.string(), input, index] { return open_tensor(file, input, index); };
  return tensor;
}

}  // namespace

Result<Side> open_dump_side(const fs::path& path) {
  Side side{.name = path.string()};
  inspect::DumpTree tree = TRY(inspect::find_dumps({path}));
  side.problems = std::move(tree.problems);
  for (const inspect::FoundDump& found : tree.files) {
    if (found.statistics || found.op_type == "Opdebug") continue;
    auto dump = read_file(found.path);
    if (!dump.ok()) {
      side.problems.push_back(dump.status().message);
      continue;
    }
    const dump::Header& header = (*dump).header;
    for (size_t i = 0; i < header.inputs.size(); ++i) side.tensors.push_back(tensor_of(found, header, true, i));
    for (size_t i = 0; i < header.outputs.size(); ++i) side.tensors.push_back(tensor_of(found, header, false, i));
  }
  std::ranges::stable_sort(side.tensors, place_before, &SideTensor::place);
  return side;
}

}  // namespace belay::compare
