// SPDX-License-Identifier: Apache-2.0
#include "inspect/safetensors.h"

#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "base/text.h"

namespace belay::inspect {
namespace {

using graph::DataType;

const char* name_in_safetensors(DataType type) {
  switch (type) {
    case DataType::Float:
      return "F32";
    case DataType::Float16:
      return "F16";
    case DataType::BFloat16:
      return "BF16";
    case DataType::Double:
      return "F64";
    case DataType::Int8:
      return "I8";
    case DataType::UInt8:
      return "U8";
    case DataType::Int16:
      return "I16";
    case DataType::UInt16:
      return "U16";
    case DataType::Int32:
      return "I32";
    case DataType::UInt32:
      return "U32";
    case DataType::Int64:
      return "I64";
    case DataType::UInt64:
      return "U64";
    case DataType::Bool:
      return "BOOL";
    case DataType::Float8E5M2:
      return "F8_E5M2";
    case DataType::Float8E4M3FN:
      return "F8_E4M3";
    default:
      return nullptr;
  }
}

size_t bytes_needed(const DumpedTensor& tensor) {
  return graph::bytes_of(tensor.type, graph::element_count(tensor.shape));
}

}  // namespace

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
