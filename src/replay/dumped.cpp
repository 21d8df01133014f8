// SPDX-License-Identifier: Apache-2.0
#include "replay/dumped.h"

#include <algorithm>
#include <set>

#include "acl/acl_base.h"
#include "base/closest.h"
#include "base/text.h"
#include "dump/format/names.h"
#include "graph/tensor/sizes.h"
#include "inspect/tensor.h"

namespace belay::replay {
namespace {

using inspect::FoundDump;

bool called(const FoundDump& file, std::string_view name) {
  return file.op_name == name || file.op_name == dump::mangled(name);
}

bool made_from(const FoundDump& file, std::string_view name) {
  const auto read = dump::read_dump(file.path);
  if (!read.ok()) return false;
  const dump::Header& header = (*read).header;
  return header.op_name == name || std::ranges::any_of(header.outputs, [&](const dump::TensorEntry& entry) {
           return entry.original_op && entry.original_op->name == name;
         });
}

Status nothing_of(std::string_view name, const std::vector<FoundDump>& files, const std::filesystem::path& path) {
  std::set<std::string_view> names;
  for (const FoundDump& file : files) names.insert(file.op_name);
  const std::vector<std::string_view> list(names.begin(), names.end());
  if (list.empty()) return {ACL_ERROR_PARSE_FILE, formatted("there are no dump files in {}", path.string())};
  return {ACL_ERROR_PARSE_FILE, formatted("{} has no dump of an operator {}; the closest names are {}", path.string(),
                                          name, closest_names(name, list))};
}

Result<graph::Constant> value_of(const inspect::DumpedTensor& tensor, const dump::DumpFile& file) {
  auto storage = std::make_shared<std::vector<std::byte>>();
  const auto logical = TRY(inspect::in_logical_order(tensor, *storage));
  const graph::Shape& shape = storage->empty() ? logical.shape : logical.original_shape;
  const size_t wanted = graph::bytes_of(logical.type, graph::element_count(shape));
  if (logical.bytes.size() < wanted || graph::bits_of(logical.type) == 0)
    return Status{ACL_ERROR_PARSE_FILE,
                  formatted("{} of {} has {} bytes; {} {} needs {}", inspect::label_of(tensor), file.header.op_name,
                            logical.bytes.size(), graph::name_of(logical.type), graph::to_text(shape), wanted)};
  std::shared_ptr<const void> owner = storage;
  if (storage->empty()) owner = file.file;
  return graph::Constant{logical.type, shape, graph::Format::ND, logical.bytes.first(wanted), std::move(owner)};
}

}  // namespace

Result<DumpedTree> DumpedTree::open(const std::filesystem::path& path) {
  inspect::DumpTree found = TRY(inspect::find_dumps({path}));
  DumpedTree tree;
  tree.path_ = path;
  tree.files_ = std::move(found.files);
  tree.problems_ = std::move(found.problems);
  return tree;
}

Result<std::vector<FoundDump>> DumpedTree::of(std::string_view name) const {
  std::vector<FoundDump> found;
  std::ranges::copy_if(files_, std::back_inserter(found), [&](const FoundDump& file) { return called(file, name); });
  if (found.empty())
    std::ranges::copy_if(files_, std::back_inserter(found),
                         [&](const FoundDump& file) { return !file.statistics && made_from(file, name); });
  if (found.empty()) return nothing_of(name, files_, path_);
  if (std::erase_if(found, [](const FoundDump& file) { return file.statistics; }) > 0 && found.empty())
    return Status{ACL_ERROR_PARSE_FILE,
                  formatted("the dump has statistics of {} only; dump its tensors (\"dump_data\":\"tensor\")", name)};
  std::ranges::stable_sort(found, {}, &FoundDump::time);
  return found;
}

std::optional<FoundDump> DumpedTree::beside(const FoundDump& file, std::string_view name) const {
  const FoundDump* found = nullptr;
  for (const FoundDump& other : files_)
    if (other.folder == file.folder && !other.statistics && called(other, name) && other.time <= file.time &&
        (!found || other.time > found->time))
      found = &other;
  return found ? std::optional(*found) : std::nullopt;
}

Result<DumpedTensors> read_tensors(const FoundDump& file) {
  auto whole = dump::read_dump(file.path);
  if (!whole.ok()) return Status{whole.status().code, file.path.string() + ": " + whole.status().message};
  const auto& read = *whole;
  DumpedTensors made{.name = read.header.op_name, .type = file.op_type};
  for (const auto& tensor : inspect::tensors_of(read))
    (tensor.input ? made.inputs : made.outputs).push_back(TRY(value_of(tensor, read)));
  return made;
}

}  // namespace belay::replay
