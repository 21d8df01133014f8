// SPDX-License-Identifier: Apache-2.0
#include "inspect/convert.h"

#include "base/text.h"
#include "dump/format/record_reader.h"
#include "dump/format/types.h"
#include "inspect/npy_tensor.h"
#include "inspect/opdebug.h"
#include "inspect/output_file.h"
#include "inspect/safetensors.h"
#include "inspect/tensor.h"

namespace belay::inspect {
namespace {

namespace fs = std::filesystem;
using dump::DumpFile;

// The files made from one dump file.
class Conversion {
 public:
  Conversion(const FoundDump& dump, const ConvertOptions& options)
      : options_(options), folder_(options.folder / dump.folder), name_(dump.path.filename()) {}

  // From now on files are called after this operator, as MindSpore calls them.
  void rename(const FoundDump& dump, const std::string& op_name) {
    const std::string last = op_name.substr(op_name.rfind('/') + 1), before = dump.op_type + "." + dump.op_name + ".";
    if (!last.empty() && dump.name.starts_with(before))
      name_ = formatted("{}.{}.{}", dump.op_type, last, dump.name.substr(before.size()));
  }

  // Makes <dump>.<suffix> and lets `fill` write it.
  template <class Fill>
  Status make(const std::string& suffix, Fill fill) {
    auto file = TRY(OutputFile::create(folder_, name_ + "." + suffix));
    TRY(fill(file));
    const fs::path path = TRY(file.finish());
    ++count.files;
    count.bytes += fs::file_size(path);
    return {};
  }

  Status tensors(const std::vector<DumpedTensor>& stored) {
    if (options_.to == ConvertTo::Safetensors)
      return make("safetensors", [&](OutputFile& file) { return write_safetensors(stored, file); });
    for (const DumpedTensor& tensor : stored) TRY(this->tensor(tensor));
    return {};
  }

  ConvertCount count;

 private:
  Status tensor(const DumpedTensor& tensor) {
    const std::string group = formatted("{}.{}", tensor.input ? "input" : "output", tensor.index);
    if (options_.to == ConvertTo::Npy)
      return make(group + ".npy", [&](OutputFile& file) { return write_npy(tensor, file); });
    if (options_.to == ConvertTo::MindSporeNpy)
      return make(formatted("{}.{}.npy", group, dump::format_name(static_cast<int32_t>(tensor.format))),
                  [&](OutputFile& file) { return write_npy(tensor, file); });
    return make(group + bin_suffix(tensor), [&](OutputFile& file) { return file.write(tensor.bytes); });
  }

  static std::string bin_suffix(const DumpedTensor& tensor) {
    std::string dims;
    for (const int64_t dim : tensor.shape) dims += (dims.empty() ? "" : "_") + std::to_string(dim);
    std::string type = numpy_name(tensor.type);
    if (type.empty()) type = dump::type_name(graph::to_proto(tensor.type));
    return formatted(".{}.{}.{}.bin", dims, type, dump::format_name(static_cast<int32_t>(tensor.format)));
  }

  const ConvertOptions& options_;
  const fs::path folder_;
  std::string name_;
};

Status convert_opdebug(const DumpFile& file, Conversion& conversion) {
  for (size_t i = 0; i < file.outputs.size(); ++i) {
    const std::string json = TRY(opdebug_json(file.outputs[i]));
    TRY(conversion.make(formatted("output.{}.json", i), [&](OutputFile& out) { return out.write(json); }));
  }
  return {};
}

Status convert_spaces(const std::vector<dump::Bytes>& spaces, const char* group, Conversion& conversion) {
  for (size_t i = 0; i < spaces.size(); ++i)
    TRY(conversion.make(formatted("{}.{}.bin", group, i), [&](OutputFile& out) { return out.write(spaces[i]); }));
  return {};
}

bool is_wanted(const DumpedTensor& tensor, const ConvertOptions& options) {
  if (!options.only_input && !options.only_output) return true;
  const auto& only = tensor.input ? options.only_input : options.only_output;
  return only && *only == tensor.index;
}

Status convert_tensors(const DumpFile& file, const ConvertOptions& options, Conversion& conversion) {
  auto tensors = tensors_of(file);
  std::erase_if(tensors, [&](const DumpedTensor& tensor) { return !is_wanted(tensor, options); });
  std::vector<std::vector<std::byte>> storage(tensors.size());
  for (size_t i = 0; i < tensors.size() && !options.as_stored; ++i)
    tensors[i] = TRY(in_logical_order(tensors[i], storage[i]));
  return conversion.tensors(tensors);
}

// The line of mapping.csv follows the file whose name is only digits.
Status copy_mapping(const FoundDump& dump, const fs::path& folder) {
  return dump.mapped ? add_mapping(folder, dump.path.filename().string(), dump.name) : Status{};
}

}  // namespace

Result<ConvertCount> convert_dump(const FoundDump& dump, const ConvertOptions& options) {
  if (dump.statistics)
    return Status{ACL_ERROR_PARSE_FILE,
                  formatted("{} holds statistics, not tensors; belay show reads it", dump.path.string())};
  Conversion conversion(dump, options);
  const auto all = [&]() -> Status {
    const DumpFile file = TRY(dump::read_dump(dump.path));
    if (is_opdebug(dump.name)) return convert_opdebug(file, conversion);
    if (options.to == ConvertTo::MindSporeNpy) conversion.rename(dump, file.header.op_name);
    TRY(convert_tensors(file, options, conversion));
    if (options.only_input || options.only_output) return {};
    TRY(convert_spaces(file.buffers, "l1buffer", conversion));
    return convert_spaces(file.spaces, "space", conversion);
  };
  if (const Status status = all(); !status.ok())
    return Status{status.code, formatted("{}: {}", dump.path.string(), status.message)};
  TRY(copy_mapping(dump, options.folder / dump.folder));
  return conversion.count;
}

}  // namespace belay::inspect
