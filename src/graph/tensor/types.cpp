// SPDX-License-Identifier: Apache-2.0
#include "graph/tensor/types.h"

#include <algorithm>
#include <array>
#include <limits>

namespace belay::graph {
namespace {

struct TypeRow {
  DataType type;
  int32_t proto;
  uint16_t bits;
  std::string_view name;
};

// clang-format off
constexpr TypeRow kTypes[] = {
    {DataType::Float, 1, 32, "DT_FLOAT"},
    {DataType::Float16, 2, 16, "DT_FLOAT16"},
    {DataType::Int8, 3, 8, "DT_INT8"},
    {DataType::Int32, 7, 32, "DT_INT32"},
    {DataType::UInt8, 4, 8, "DT_UINT8"},
    {DataType::Int16, 5, 16, "DT_INT16"},
    {DataType::UInt16, 6, 16, "DT_UINT16"},
    {DataType::UInt32, 9, 32, "DT_UINT32"},
    {DataType::Int64, 8, 64, "DT_INT64"},
    {DataType::UInt64, 10, 64, "DT_UINT64"},
    {DataType::Double, 12, 64, "DT_DOUBLE"},
    {DataType::Bool, 11, 8, "DT_BOOL"},
    {DataType::String, 13, 0, "DT_STRING"},
    {DataType::DualSubInt8, 14, 8, "DT_DUAL_SUB_INT8"},
    {DataType::DualSubUInt8, 15, 8, "DT_DUAL_SUB_UINT8"},
    {DataType::Complex64, 16, 64, "DT_COMPLEX64"},
    {DataType::Complex128, 17, 128, "DT_COMPLEX128"},
    {DataType::QInt8, 18, 8, "DT_QINT8"},
    {DataType::QInt16, 19, 16, "DT_QINT16"},
    {DataType::QInt32, 20, 32, "DT_QINT32"},
    {DataType::QUInt8, 21, 8, "DT_QUINT8"},
    {DataType::QUInt16, 22, 16, "DT_QUINT16"},
    {DataType::Resource, 23, 64, "DT_RESOURCE"},
    {DataType::StringRef, 24, 0, "DT_STRING_REF"},
    {DataType::Dual, 25, 40, "DT_DUAL"},
    {DataType::Variant, 26, 64, "DT_VARIANT"},
    {DataType::BFloat16, 27, 16, "DT_BFLOAT16"},
    {DataType::Undefined, 0, 0, "DT_UNDEFINED"},
    {DataType::Int4, 28, 4, "DT_INT4"},
    {DataType::UInt1, 29, 1, "DT_UINT1"},
    {DataType::Int2, 30, 2, "DT_INT2"},
    {DataType::UInt2, 31, 2, "DT_UINT2"},
    {DataType::Complex32, 32, 32, "DT_COMPLEX32"},
    {DataType::HiFloat8, 33, 8, "DT_HIFLOAT8"},
    {DataType::Float8E5M2, 34, 8, "DT_FLOAT8_E5M2"},
    {DataType::Float8E4M3FN, 35, 8, "DT_FLOAT8_E4M3FN"},
    {DataType::Float8E8M0, 36, 8, "DT_FLOAT8_E8M0"},
    {DataType::Float6E3M2, 37, 6, "DT_FLOAT6_E3M2"},
    {DataType::Float6E2M3, 38, 6, "DT_FLOAT6_E2M3"},
    {DataType::Float4E2M1, 39, 4, "DT_FLOAT4_E2M1"},
    {DataType::Float4E1M2, 40, 4, "DT_FLOAT4_E1M2"},
    {DataType::HiFloat4, 41, 4, "DT_HIFLOAT4"},
};

constexpr std::string_view kFormats[] = {
    "NCHW", "NHWC", "ND", "NC1HWC0", "FRACTAL_Z", "NC1C0HWPAD", "NHWC1C0", "FSR_NCHW", "FRACTAL_DECONV", "C1HWNC0",
    "FRACTAL_DECONV_TRANSPOSE", "FRACTAL_DECONV_SP_STRIDE_TRANS", "NC1HWC0_C04", "FRACTAL_Z_C04", "CHWN",
    "DECONV_SP_STRIDE8_TRANS", "HWCN", "NC1KHKWHWC0", "BN_WEIGHT", "FILTER_HWCK", "HASHTABLE_LOOKUP_LOOKUPS",
    "HASHTABLE_LOOKUP_KEYS", "HASHTABLE_LOOKUP_VALUE", "HASHTABLE_LOOKUP_OUTPUT", "HASHTABLE_LOOKUP_HITS", "C1HWNCoC0",
    "MD", "NDHWC", "FRACTAL_ZZ", "FRACTAL_NZ", "NCDHW", "DHWCN", "NDC1HWC0", "FRACTAL_Z_3D", "CN", "NC", "DHWNC",
    "FRACTAL_Z_3D_TRANSPOSE", "FRACTAL_ZN_LSTM", "FRACTAL_Z_G", "RESERVED", "ALL", "NULL", "ND_RNN_BIAS",
    "FRACTAL_ZN_RNN", "NYUV", "NYUV_A", "NCL", "FRACTAL_Z_WINO", "C1HWC0", "FRACTAL_NZ_C0_16", "FRACTAL_NZ_C0_32",
    "FRACTAL_NZ_C0_2", "FRACTAL_NZ_C0_4", "FRACTAL_NZ_C0_8",
};
// clang-format on

const TypeRow* row_of(DataType type) {
  const auto found = std::ranges::find(kTypes, type, &TypeRow::type);
  return found == std::end(kTypes) ? nullptr : found;
}

}  // namespace

size_t bits_of(DataType type) {
  const TypeRow* row = row_of(type);
  return row ? row->bits : 0;
}

size_t bytes_of(DataType type, int64_t count) {
  size_t bits = 0;  // a hostile shape must not wrap around to a small size
  if (count <= 0) return 0;
  if (__builtin_mul_overflow(bits_of(type), static_cast<size_t>(count), &bits) || bits > SIZE_MAX - 7) return SIZE_MAX;
  return (bits + 7) / 8;
}

int64_t element_count(const Shape& shape) {
  if (!is_known(shape)) return -1;
  if (std::ranges::find(shape, 0) != shape.end()) return 0;  // before the others' product overflows
  int64_t count = 1;
  for (const int64_t dim : shape)
    if (__builtin_mul_overflow(count, dim, &count)) return std::numeric_limits<int64_t>::max();
  return count;
}

bool is_known(const Shape& shape) {
  return std::ranges::all_of(shape, [](int64_t dim) { return dim >= 0; });
}

bool rank_known(const Shape& shape) { return shape.size() != 1 || shape[0] != -2; }

std::string to_text(const Shape& shape) {
  std::string text = "[";
  for (const int64_t dim : shape) text += (text.size() > 1 ? "," : "") + std::to_string(dim);
  return text + "]";
}

std::string_view name_of(DataType type) {
  const TypeRow* row = row_of(type);
  return row ? row->name : name_of(DataType::Undefined);
}

DataType type_named(std::string_view name) {
  const auto found = std::ranges::find(kTypes, name, &TypeRow::name);
  return found == std::end(kTypes) ? DataType::Undefined : found->type;
}

std::string_view name_of(Format format) {
  const auto number = static_cast<size_t>(format);
  return kFormats[number < std::size(kFormats) ? number : static_cast<size_t>(Format::Reserved)];
}

Format format_named(std::string_view name) {
  const auto found = std::ranges::find(kFormats, name);
  return found == std::end(kFormats) ? Format::Reserved : static_cast<Format>(found - std::begin(kFormats));
}

int32_t to_proto(DataType type) {
  const TypeRow* row = row_of(type);
  return row ? row->proto : 0;
}

DataType from_proto(int32_t number) {
  const auto found = std::ranges::find(kTypes, number, &TypeRow::proto);
  return found == std::end(kTypes) ? DataType::Undefined : found->type;
}

}  // namespace belay::graph
