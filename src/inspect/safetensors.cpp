// SPDX-License-Identifier: Apache-2.0
#include "inspect/safetensors.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "base/text.h"

namespace belay::inspect {
namespace {

using graph::DataType;

struct TypeName {
  DataType type;
  const char* name;
};

constexpr TypeName type_names[] = {
    {DataType::Float, "F32"},
    {DataType::Float16, "F16"},
    {DataType::BFloat16, "BF16"},
    {DataType::Double, "F64"},
    {DataType::Int8, "I8"},
    {DataType::UInt8, "U8"},
    {DataType::Int16, "I16"},
    {DataType::UInt16, "U16"},
    {DataType::Int32, "I32"},
    {DataType::UInt32, "U32"},
    {DataType::Int64, "I64"},
    {DataType::UInt64, "U64"},
    {DataType::Bool, "BOOL"},
    {DataType::Float8E5M2, "F8_E5M2"},
    {DataType::Float8E4M3FN, "F8_E4M3"},
};

const char* name_in_safetensors(DataType type) {
  const auto* found = std::ranges::find(type_names, type, &TypeName::type);
  return found == std::end(type_names) ? nullptr : found->name;
}

size_t bytes_needed(const DumpedTensor& tensor) {
  return graph::bytes_of(tensor.type, graph::element_count(tensor.shape));
}

}  // namespace

DataType type_of_safetensors(std::string_view name) {
  const auto* found =
      std::ranges::find(type_names, name, [](const TypeName& type) { return std::string_view(type.name); });
  return found == std::end(type_names) ? DataType::Undefined : found->type;
}

Status write_safetensors(const std::vector<DumpedTensor>& tensors, OutputFile& file) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  size_t offset = 0;
  for (const DumpedTensor& tensor : tensors) {
    const char* type = name_in_safetensors(tensor.type);
    const size_t bytes = bytes_needed(tensor);
    if (!type)
      return {ACL_ERROR_UNSUPPORTED_DATA_TYPE, formatted("{} is {}, which a .safetensors file cannot hold; use -t bin",
                                                         label_of(tensor), graph::name_of(tensor.type))};
    if (bytes > tensor.bytes.size())
      return {ACL_ERROR_PARSE_FILE, formatted("{} has {} bytes; its shape {} needs {}", label_of(tensor),
                                              tensor.bytes.size(), graph::to_text(tensor.shape), bytes)};
    header[(tensor.input ? "input." : "output.") + std::to_string(tensor.index)] = {
        {"dtype", type}, {"shape", tensor.shape}, {"data_offsets", {offset, offset + bytes}}};
    offset += bytes;
  }
  std::string text = json_text(header);
  text.append((8 - text.size() % 8) % 8, ' ');
  const uint64_t length = text.size();
  TRY(file.write(std::as_bytes(std::span(&length, 1))));
  TRY(file.write(text));
  for (const DumpedTensor& tensor : tensors) TRY(file.write(tensor.bytes.first(bytes_needed(tensor))));
  return {};
}

}  // namespace belay::inspect
