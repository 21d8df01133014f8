// SPDX-License-Identifier: Apache-2.0
#include "inspect/npy_tensor.h"

#include <algorithm>

#include "base/files/npy.h"
#include "base/half.h"
#include "base/text.h"

namespace belay::inspect {
namespace {

using graph::DataType;
using Bytes = std::span<const std::byte>;

constexpr size_t block_elements = 1 << 18;

struct NumpyType {
  DataType type;
  const char *descr, *name;
};

constexpr NumpyType numpy_types[] = {
    {DataType::Float, "<f4", "float32"},       {DataType::Float16, "<f2", "float16"},
    {DataType::Double, "<f8", "float64"},      {DataType::Int8, "|i1", "int8"},
    {DataType::UInt8, "|u1", "uint8"},         {DataType::Int16, "<i2", "int16"},
    {DataType::UInt16, "<u2", "uint16"},       {DataType::Int32, "<i4", "int32"},
    {DataType::UInt32, "<u4", "uint32"},       {DataType::Int64, "<i8", "int64"},
    {DataType::UInt64, "<u8", "uint64"},       {DataType::Bool, "|b1", "bool"},
    {DataType::Complex64, "<c8", "complex64"}, {DataType::Complex128, "<c16", "complex128"},
};

const NumpyType* find_type(DataType type) {
  const auto* found = std::ranges::find(numpy_types, type, &NumpyType::type);
  return found == std::end(numpy_types) ? nullptr : found;
}

// bfloat16 as the float32 that has the same value.
Status write_widened(Bytes bytes, OutputFile& file) {
  std::vector<float> block(block_elements);
  const auto* bits = reinterpret_cast<const uint16_t*>(bytes.data());
  for (size_t at = 0, count = bytes.size() / sizeof *bits; at < count; at += block_elements) {
    const size_t now = std::min(block_elements, count - at);
    std::transform(bits + at, bits + at + now, block.begin(), bf16_to_float);
    TRY(file.write(std::as_bytes(std::span(block).first(now))));
  }
  return {};
}

// A byte for each bit, the highest of a byte first.
Status write_bits(Bytes bytes, size_t count, OutputFile& file) {
  std::vector<std::byte> block;
  for (size_t at = 0; at < count; ++at) {
    block.push_back((bytes[at / 8] >> (7 - at % 8)) & std::byte{1});
    if (block.size() < block_elements && at + 1 < count) continue;
    TRY(file.write(block));
    block.clear();
  }
  return {};
}

}  // namespace

std::string numpy_name(DataType type) {
  if (type == DataType::BFloat16) return "bfloat16";
  const NumpyType* found = find_type(type);
  return found ? found->name : "";
}

DataType type_of_numpy(const std::string& descr) {
  if (descr == "|V2" || descr == "<V2") return DataType::BFloat16;
  const auto* found = std::ranges::find_if(numpy_types, [&](const NumpyType& type) {
    return type.descr == descr || (type.descr[0] == '|' && descr == "<" + std::string(type.descr + 1));
  });
  return found == std::end(numpy_types) ? DataType::Undefined : found->type;
}

Status write_npy(const DumpedTensor& tensor, OutputFile& file) {
  if (tensor.type == DataType::Undefined) {
    TRY(file.write(make_npy_header("|i1", std::vector{static_cast<int64_t>(tensor.bytes.size())})));
    return file.write(tensor.bytes);
  }
  const int64_t count = graph::element_count(tensor.shape);
  if (count == 0) return file.write(make_npy_header("<f8", tensor.shape));
  const graph::Shape shape = tensor.shape.empty() ? graph::Shape{1} : tensor.shape;
  const size_t bytes = graph::bytes_of(tensor.type, count);
  if (count < 0 || bytes > tensor.bytes.size())
    return {ACL_ERROR_PARSE_FILE,
            formatted("{} has {} bytes; {} of shape {} needs {}", label_of(tensor), tensor.bytes.size(),
                      graph::name_of(tensor.type), graph::to_text(shape), bytes)};
  const Bytes data = tensor.bytes.first(bytes);
  if (tensor.type == DataType::BFloat16) {
    TRY(file.write(make_npy_header("<f4", shape)));
    return write_widened(data, file);
  }
  if (tensor.type == DataType::UInt1) {
    TRY(file.write(make_npy_header("|u1", shape)));
    return write_bits(data, static_cast<size_t>(count), file);
  }
  const NumpyType* type = find_type(tensor.type);
  if (!type)
    return {ACL_ERROR_UNSUPPORTED_DATA_TYPE, formatted("{} is {}, which a .npy file cannot hold; use -t bin",
                                                       label_of(tensor), graph::name_of(tensor.type))};
  TRY(file.write(make_npy_header(type->descr, shape)));
  return file.write(data);
}

}  // namespace belay::inspect
