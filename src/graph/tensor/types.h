// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace belay::graph {

// Element types, with the numbers of the graph engine (which are aclDataType's, but for Undefined).
enum class DataType : int32_t {
  Float = 0,
  Float16 = 1,
  Int8 = 2,
  Int32 = 3,
  UInt8 = 4,
  Int16 = 6,
  UInt16 = 7,
  UInt32 = 8,
  Int64 = 9,
  UInt64 = 10,
  Double = 11,
  Bool = 12,
  String = 13,
  DualSubInt8 = 14,
  DualSubUInt8 = 15,
  Complex64 = 16,
  Complex128 = 17,
  QInt8 = 18,
  QInt16 = 19,
  QInt32 = 20,
  QUInt8 = 21,
  QUInt16 = 22,
  Resource = 23,
  StringRef = 24,
  Dual = 25,
  Variant = 26,
  BFloat16 = 27,
  Undefined = 28,
  Int4 = 29,
  UInt1 = 30,
  Int2 = 31,
  UInt2 = 32,
  Complex32 = 33,
  HiFloat8 = 34,
  Float8E5M2 = 35,
  Float8E4M3FN = 36,
  Float8E8M0 = 37,
  Float6E3M2 = 38,
  Float6E2M3 = 39,
  Float4E2M1 = 40,
  Float4E1M2 = 41,
  HiFloat4 = 42,
};

// Memory orders of tensors, with the numbers of the graph engine. The full list of names is in types.cpp.
enum class Format : int32_t {
  NCHW = 0,
  NHWC = 1,
  ND = 2,
  NC1HWC0 = 3,
  FractalZ = 4,
  NC1HWC0C04 = 12,
  CHWN = 14,
  HWCN = 16,
  NDHWC = 27,
  FractalZZ = 28,
  FractalNZ = 29,
  NCDHW = 30,
  DHWCN = 31,
  NDC1HWC0 = 32,
  FractalZ3D = 33,
  NC = 35,
  DHWNC = 36,
  FractalZ3DTranspose = 37,
  Reserved = 40,
  NCL = 47,
};

// Dimensions; -1 is one that is not known yet, {-2} an unknown rank, {} a scalar.
using Shape = std::vector<int64_t>;

// Bits of one element: 4 for Int4, 32 for Float; 0 for types without a fixed size (String, Undefined).
size_t bits_of(DataType type);
// Bytes of `count` elements, rounded up to whole bytes.
size_t bytes_of(DataType type, int64_t count);
// Product of the dimensions; -1 when one of them is unknown.
int64_t element_count(const Shape& shape);
bool is_known(const Shape& shape);
bool rank_known(const Shape& shape);
std::string to_text(const Shape& shape);  // "[1,3,224,224]"

// "DT_FLOAT16", "NC1HWC0" and back; Undefined / Reserved for a name that is none.
std::string_view name_of(DataType type);
DataType type_named(std::string_view name);
std::string_view name_of(Format format);
Format format_named(std::string_view name);

// The numbering that TensorDescriptor.dtype uses inside GE IR messages (model.md 2.5).
int32_t to_proto(DataType type);
DataType from_proto(int32_t number);

}  // namespace belay::graph
