// SPDX-License-Identifier: Apache-2.0
#include "commands/tensor_io.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <span>
#include <sstream>
#include <stdexcept>

#include "base/files/atomic_file.h"
#include "base/files/npy.h"
#include "base/half.h"
#include "commands/arguments.h"
#include "graph/tensor/sizes.h"

namespace belay::tools {
namespace {

struct TypeRow {
  aclDataType type;
  const char* name;
  const char* npy;  // bf16 has no name in NumPy: its bits are kept
};

constexpr TypeRow kTypes[] = {
    {ACL_FLOAT, "float32", "<f4"}, {ACL_FLOAT16, "float16", "<f2"},     {ACL_DOUBLE, "float64", "<f8"},
    {ACL_BF16, "bfloat16", "<u2"}, {ACL_INT8, "int8", "|i1"},           {ACL_UINT8, "uint8", "|u1"},
    {ACL_INT16, "int16", "<i2"},   {ACL_UINT16, "uint16", "<u2"},       {ACL_INT32, "int32", "<i4"},
    {ACL_UINT32, "uint32", "<u4"}, {ACL_INT64, "int64", "<i8"},         {ACL_UINT64, "uint64", "<u8"},
    {ACL_BOOL, "bool", "|b1"},     {ACL_COMPLEX64, "complex64", "<c8"}, {ACL_COMPLEX128, "complex128", "<c16"},
};

const TypeRow* find_type(aclDataType type) {
  for (const TypeRow& row : kTypes)
    if (row.type == type) return &row;
  return nullptr;
}

template <class T>
T load(const std::vector<std::byte>& bytes, int64_t index) {
  T value;
  std::memcpy(&value, bytes.data() + static_cast<size_t>(index) * sizeof(T), sizeof(T));
  return value;
}

template <class T>
void store(std::vector<std::byte>& bytes, int64_t index, T value) {
  std::memcpy(bytes.data() + static_cast<size_t>(index) * sizeof(T), &value, sizeof(T));
}

std::vector<std::byte> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) throw std::runtime_error(path + " cannot be read");
  std::vector<std::byte> bytes(static_cast<size_t>(file.tellg()));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return bytes;
}

}  // namespace

int64_t HostTensor::count() const { return graph::element_count(shape); }

size_t HostTensor::byte_size() const {
  size_t bytes = 0;
  const bool overflows = __builtin_mul_overflow(static_cast<size_t>(count()), aclDataTypeSize(type), &bytes);
  if (!overflows && bytes <= graph::kMostBytes) return bytes;
  throw std::runtime_error(name + " " + dims_text(shape) + " of " + type_name(type) + " is larger than any memory");
}

double HostTensor::at(int64_t index) const {
  switch (type) {
    case ACL_FLOAT:
      return load<float>(bytes, index);
    case ACL_FLOAT16:
      return half_to_float(load<uint16_t>(bytes, index));
    case ACL_BF16:
      return bf16_to_float(load<uint16_t>(bytes, index));
    case ACL_DOUBLE:
      return load<double>(bytes, index);
    case ACL_INT8:
      return load<int8_t>(bytes, index);
    case ACL_UINT8:
    case ACL_BOOL:
      return load<uint8_t>(bytes, index);
    case ACL_INT16:
      return load<int16_t>(bytes, index);
    case ACL_UINT16:
      return load<uint16_t>(bytes, index);
    case ACL_INT32:
      return load<int32_t>(bytes, index);
    case ACL_UINT32:
      return load<uint32_t>(bytes, index);
    case ACL_INT64:
      return static_cast<double>(load<int64_t>(bytes, index));
    case ACL_UINT64:
      return static_cast<double>(load<uint64_t>(bytes, index));
    default:
      return 0;
  }
}

Summary summarize(const HostTensor& tensor) {
  const int64_t count = tensor.count();
  if (count <= 0 || tensor.bytes.size() < tensor.byte_size()) return {};
  Summary summary{tensor.at(0), tensor.at(0), 0};
  for (int64_t i = 0; i < count; ++i) {
    const double value = tensor.at(i);
    summary.min = std::min(summary.min, value);
    summary.max = std::max(summary.max, value);
    summary.mean += value / static_cast<double>(count);
  }
  if (std::isnan(summary.mean)) summary.mean = std::numeric_limits<double>::quiet_NaN();  // printed without a sign
  return summary;
}

HostTensor read_tensor(const std::string& path, const HostTensor& wanted) {
  HostTensor tensor = wanted;
  tensor.bytes = read_file(path);
  if (path.ends_with(".npy")) {
    auto header = parse_npy_header(tensor.bytes);
    if (!header.ok()) throw std::runtime_error(path + ": " + header.status().message);
    const TypeRow* type = find_type(wanted.type);
    if (!type || (*header).descr != type->npy || (*header).fortran_order)
      throw std::runtime_error(path + " holds " + (*header).descr + " in its order; input " + wanted.name + " is " +
                               type_name(wanted.type) + ", row-major");
    tensor.shape = (*header).shape;
    tensor.bytes.erase(tensor.bytes.begin(), tensor.bytes.begin() + static_cast<long>((*header).data_offset));
  }
  if (tensor.bytes.size() != tensor.byte_size())
    throw std::runtime_error(path + " has " + std::to_string(tensor.bytes.size()) + " bytes of data; input " +
                             wanted.name + " " + dims_text(tensor.shape) + " needs " +
                             std::to_string(tensor.byte_size()));
  return tensor;
}

void write_npy(const std::string& path, const HostTensor& tensor) {
  const TypeRow* type = find_type(tensor.type);
  const std::string header = make_npy_header(type ? type->npy : "|u1", tensor.shape);
  std::vector<std::byte> content(header.size() + tensor.bytes.size());
  std::ranges::copy(std::as_bytes(std::span(header)), content.begin());
  std::ranges::copy(tensor.bytes, content.begin() + static_cast<long>(header.size()));
  if (const Status written = write_file(path, content); !written.ok()) throw std::runtime_error(written.message);
}

void fill_random(HostTensor& tensor, std::mt19937_64& random) {
  tensor.bytes.assign(tensor.byte_size(), std::byte{0});
  std::uniform_real_distribution<float> real(-1, 1);
  for (int64_t i = 0; i < tensor.count(); ++i) {
    switch (tensor.type) {
      case ACL_FLOAT:
        store(tensor.bytes, i, real(random));
        break;
      case ACL_DOUBLE:
        store(tensor.bytes, i, static_cast<double>(real(random)));
        break;
      case ACL_FLOAT16:
        store(tensor.bytes, i, float_to_half(real(random)));
        break;
      case ACL_BF16:
        store(tensor.bytes, i, float_to_bf16(real(random)));
        break;
      default:
        tensor.bytes[static_cast<size_t>(i) * aclDataTypeSize(tensor.type)] = std::byte(random() & 1);
        break;
    }
  }
}

const char* type_name(aclDataType type) {
  const TypeRow* row = find_type(type);
  return row ? row->name : "other";
}

std::string dims_text(const std::vector<int64_t>& dims) {
  std::string text = "[";
  for (size_t i = 0; i < dims.size(); ++i) text += (i ? "," : "") + std::to_string(dims[i]);
  return text + "]";
}

std::vector<int64_t> parse_dims(const std::string& text) {
  std::vector<int64_t> dims;
  std::stringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    int64_t& dim = dims.emplace_back(0);
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), dim);
    if (error != std::errc() || end != part.data() + part.size() || dim < 0)
      throw UsageError("'" + text + "' is not a list of dimensions such as 1,3,224,224");
  }
  return dims;
}

}  // namespace belay::tools
