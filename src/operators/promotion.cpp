// SPDX-License-Identifier: Apache-2.0
#include "operators/promotion.h"

#include <algorithm>

namespace belay::operators {

using graph::DataType;

Category category_of(DataType type) {
  switch (type) {
    case DataType::Bool:
      return Category::Bool;
    case DataType::Int8:
    case DataType::Int16:
    case DataType::Int32:
    case DataType::Int64:
    case DataType::UInt8:
    case DataType::UInt16:
    case DataType::UInt32:
    case DataType::UInt64:
      return Category::Integer;
    case DataType::Float:
    case DataType::Float16:
    case DataType::BFloat16:
    case DataType::Double:
      return Category::Float;
    case DataType::Complex32:
    case DataType::Complex64:
    case DataType::Complex128:
      return Category::Complex;
    default:
      return Category::Other;
  }
}

bool is_narrow(DataType type) { return type == DataType::Float16 || type == DataType::BFloat16; }

namespace {

bool is_unsigned(DataType type) {
  return type == DataType::UInt8 || type == DataType::UInt16 || type == DataType::UInt32 || type == DataType::UInt64;
}

DataType promote_integers(DataType a, DataType b) {
  const size_t bits_a = graph::bits_of(a), bits_b = graph::bits_of(b);
  if (is_unsigned(a) == is_unsigned(b)) return bits_a >= bits_b ? a : b;
  const size_t unsigned_bits = is_unsigned(a) ? bits_a : bits_b, signed_bits = is_unsigned(a) ? bits_b : bits_a;
  const size_t wanted = std::max(signed_bits, unsigned_bits * 2);  // a signed type that holds the unsigned one
  return wanted <= 16 ? DataType::Int16 : wanted <= 32 ? DataType::Int32 : DataType::Int64;
}

DataType promote_floats(DataType a, DataType b) {
  if (graph::bits_of(a) == graph::bits_of(b)) return DataType::Float;  // the two of 16 bits
  return graph::bits_of(a) > graph::bits_of(b) ? a : b;
}

DataType complex_of(DataType type) {
  return type == DataType::Double || type == DataType::Complex128 ? DataType::Complex128 : DataType::Complex64;
}

// A number is of the default type of its category, whatever its own.
DataType default_of(DataType type) {
  switch (category_of(type)) {
    case Category::Integer:
      return DataType::Int64;
    case Category::Float:
      return DataType::Float;
    case Category::Complex:
      return DataType::Complex64;
    default:
      return type;
  }
}

// `lower` counts only by its category.
DataType combine(DataType higher, DataType lower) {
  if (higher == DataType::Undefined) return lower;
  if (lower == DataType::Undefined || category_of(lower) <= category_of(higher)) return higher;
  if (category_of(lower) == Category::Complex && category_of(higher) == Category::Float) return complex_of(higher);
  return promote(higher, lower);
}

}  // namespace

DataType promote(DataType a, DataType b) {
  if (a == b || b == DataType::Undefined) return a;
  if (a == DataType::Undefined) return b;
  const Category ca = category_of(a), cb = category_of(b);
  if (ca == Category::Other || cb == Category::Other) return DataType::Undefined;
  if (ca == Category::Complex || cb == Category::Complex)
    return complex_of(a) == DataType::Complex128 || complex_of(b) == DataType::Complex128 ? DataType::Complex128
                                                                                          : DataType::Complex64;
  if (ca != cb) return ca > cb ? a : b;
  return ca == Category::Integer ? promote_integers(a, b) : promote_floats(a, b);
}

bool may_store(DataType result, DataType stored) {
  if (result == stored) return true;
  const Category from = category_of(result), to = category_of(stored);
  return from != Category::Other && to != Category::Other && from <= to;
}

int64_t limited_to(DataType type, int64_t number) {
  const size_t bits = graph::bits_of(type);
  if (bits >= 64) return number;
  const int64_t span = int64_t{1} << bits;
  return is_unsigned(type) ? std::clamp<int64_t>(number, 0, span - 1) : std::clamp(number, -span / 2, span / 2 - 1);
}

void ResultType::add_tensor(DataType type, bool has_dimensions) {
  DataType& kept = has_dimensions ? dimensioned_ : scalar_;
  kept = promote(kept, type);
}

void ResultType::add_number(DataType type) { number_ = promote(number_, default_of(type)); }

DataType ResultType::get() const { return combine(combine(dimensioned_, scalar_), number_); }

}  // namespace belay::operators
