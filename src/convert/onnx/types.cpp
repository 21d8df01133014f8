// SPDX-License-Identifier: Apache-2.0
#include "convert/onnx/types.h"

#include <iterator>

namespace belay::convert::onnx {

using graph::DataType;

graph::DataType data_type(int64_t number) {
  static constexpr DataType types[] = {
      DataType::Undefined,  DataType::Float,     DataType::UInt8,        DataType::Int8,       DataType::UInt16,
      DataType::Int16,      DataType::Int32,     DataType::Int64,        DataType::String,     DataType::Bool,
      DataType::Float16,    DataType::Double,    DataType::UInt32,       DataType::UInt64,     DataType::Complex64,
      DataType::Complex128, DataType::BFloat16,  DataType::Float8E4M3FN, DataType::Undefined,  DataType::Float8E5M2,
      DataType::Undefined,  DataType::Undefined, DataType::Int4,         DataType::Float4E2M1,
  };
  return number >= 0 && number < static_cast<int64_t>(std::size(types)) ? types[number] : DataType::Undefined;
}

bool is_supported(int64_t number) {
  constexpr int64_t string = 8, bfloat16 = 16;
  return number > 0 && number <= bfloat16 && number != string;
}

std::string type_name(int64_t number) {
  static constexpr const char* names[] = {
      "UNDEFINED", "FLOAT",      "UINT8",      "INT8",         "UINT16",         "INT16",      "INT32",
      "INT64",     "STRING",     "BOOL",       "FLOAT16",      "DOUBLE",         "UINT32",     "UINT64",
      "COMPLEX64", "COMPLEX128", "BFLOAT16",   "FLOAT8E4M3FN", "FLOAT8E4M3FNUZ", "FLOAT8E5M2", "FLOAT8E5M2FNUZ",
      "UINT4",     "INT4",       "FLOAT4E2M1", "FLOAT8E8M0",
  };
  return number >= 0 && number < static_cast<int64_t>(std::size(names)) ? names[number] : std::to_string(number);
}

}  // namespace belay::convert::onnx
