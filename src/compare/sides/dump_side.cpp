// SPDX-License-Identifier: Apache-2.0
#include "compare/sides/dump_side.h"

#include "base/text.h"
#include "compare/sides/byte_source.h"
#include "inspect/dump_tree.h"
#include "inspect/tensor.h"

namespace belay::compare {
namespace {

namespace fs = std::filesystem;
using Source = std::shared_ptr<const ElementSource>;

Status about(const fs::path& file, const Status& problem) {
  return {problem.code, formatted("{}: {}", file.string(), problem.message)};
}

Result<dump::DumpFile> read_file(const fs::path& file) {
  auto dump = dump::read_dump(file);
  if (!dump.ok() && dump.status().code == ACL_ERROR_PARSE_FILE) return about(file, dump.status());
  return dump;
}

Result<Source> open_tensor(const fs::path& file, bool input, size_t index) {
  const dump::DumpFile dump = TRY(read_file(file));
  for (const inspect::DumpedTensor& tensor : inspect::tensors_of(dump)) {
    if (tensor.input != input || tensor.index != index) continue;
    auto storage = std::make_shared<std::vector<std::byte>>();
    auto logical = inspect::in_logical_order(tensor, *storage);
    if (!logical.ok()) return about(file, logical.status());
    const auto owner = storage->empty() ? std::shared_ptr<const void>(dump.file) : std::shared_ptr<const void>(storage);
    auto source = make_byte_source((*logical).type, (*logical).shape, (*logical).format, (*logical).bytes, owner);
    return source.ok() ? std::move(source) : Result<Source>(about(file, source.status()));
  }
  return Status{ACL_ERROR_INVALID_FILE, formatted("{} has changed", file.string())};
}

SideTensor tensor_of(const inspect::FoundDump& found, const dump::Header& header, bool input, size_t index) {
  SideTensor tensor{.op = header.op_name, .op_type = found.op_type, .input = input, .index = index};
  if (tensor.op.empty()) tensor.op = found.op_name.empty() ? found.name : found.op_name;
  if (const auto& entry = input ? header.inputs[index] : header.outputs[index]; entry.original_op) {
    tensor.origin = entry.original_op->name;
    tensor.origin_index = entry.original_op->output_index;
  }
  tensor.place = found.folder;
  tensor.file = found.path;
  tensor.mapped = found.mapped;
  tensor.time = header.dump_time;
  tensor.task = found.task.value_or(0);
  tensor.open = [file = found.path, input, index] { return open_tensor(file, input, index); };
  return tensor;
}

}  // namespace

Result<Side> open_dump_side(const fs::path& path) {
  Side side{.name = path.string()};
  for (const inspect::FoundDump& found : TRY(inspect::find_dumps({path}))) {
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
  return side;
}

}  // namespace belay::compare
