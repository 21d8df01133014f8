// SPDX-License-Identifier: Apache-2.0
#include "compare/measure/elements.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "base/half.h"
#include "graph/tensor/small_floats.h"

namespace belay::compare {
namespace {

using graph::DataType;

float small_float(DataType type, std::byte bits) {
  const std::span<const float> values = graph::small_float_values(type);
  return values[std::to_integer<size_t>(bits) % values.size()];
}

template <class T>
T stored(std::span<const std::byte> bytes, size_t index) {
  T value;
  std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
  return value;
}

// Calls with a value of the integer type as which the source gives `type`; false when it gives none.
template <class F>
bool with_integer(DataType type, F&& f) {
  switch (type) {
    case DataType::Int2:
    case DataType::Int4:
    case DataType::Int8:
    case DataType::QInt8:
      return f(int8_t{}), true;
    case DataType::UInt1:
    case DataType::UInt2:
    case DataType::UInt8:
    case DataType::QUInt8:
      return f(uint8_t{}), true;
    case DataType::Int16:
    case DataType::QInt16:
      return f(int16_t{}), true;
    case DataType::UInt16:
    case DataType::QUInt16:
      return f(uint16_t{}), true;
    case DataType::Int32:
    case DataType::QInt32:
      return f(int32_t{}), true;
    case DataType::UInt32:
      return f(uint32_t{}), true;
    case DataType::Int64:
      return f(int64_t{}), true;
    case DataType::UInt64:
      return f(uint64_t{}), true;
    default:
      return false;
  }
}

template <class Out>
void convert_integers(DataType type, std::span<const std::byte> bytes, size_t count, Out* out) {
  with_integer(type, [&]<class T>(T) {
    for (size_t i = 0; i < count; ++i) out[i] = static_cast<Out>(stored<T>(bytes, i));
  });
}

// Beyond these not every integer is a double.
bool all_exact(DataType type, std::span<const std::byte> bytes, size_t count) {
  constexpr int64_t most = int64_t{1} << 53;
  bool exact = true;
  if (type == DataType::Int64)
    for (size_t i = 0; i < count; ++i) exact &= std::abs(stored<int64_t>(bytes, i) / 2) < most / 2;
  if (type == DataType::UInt64)
    for (size_t i = 0; i < count; ++i) exact &= stored<uint64_t>(bytes, i) < static_cast<uint64_t>(most);
  return exact;
}

bool is_aligned(const void* address, size_t size) { return reinterpret_cast<uintptr_t>(address) % size == 0; }

}  // namespace

size_t stored_bytes(DataType type) { return std::max<size_t>(graph::bits_of(type) / 8, 1); }

bool has_values(DataType type) {
  return type == DataType::Float || type == DataType::Float16 || type == DataType::BFloat16 ||
         type == DataType::Double || type == DataType::Bool || !graph::small_float_values(type).empty() ||
         with_integer(type, [](auto) {});
}

bool is_whole(DataType type) {
  return type == DataType::Bool || with_integer(type, [](auto) {});
}

bool fits_floats(DataType type) {
  return has_values(type) && type != DataType::Double && graph::bits_of(type) <= 16 + 16 * (type == DataType::Float);
}

const float* as_floats(DataType type, std::span<const std::byte> bytes, size_t count, float* buffer) {
  if (type == DataType::Float) {
    if (is_aligned(bytes.data(), alignof(float))) return reinterpret_cast<const float*>(bytes.data());
    std::memcpy(buffer, bytes.data(), count * sizeof(float));
  } else if (type == DataType::Float16) {
    widen_halves(bytes.data(), count, buffer);
  } else if (type == DataType::BFloat16) {
    widen_bfloats(bytes.data(), count, buffer);
  } else if (type == DataType::Bool) {
    for (size_t i = 0; i < count; ++i) buffer[i] = bytes[i] == std::byte{0} ? 0.0F : 1.0F;
  } else if (!graph::small_float_values(type).empty()) {
    for (size_t i = 0; i < count; ++i) buffer[i] = small_float(type, bytes[i]);
  } else {
    convert_integers(type, bytes, count, buffer);
  }
  return buffer;
}

Elements float_elements(DataType type, std::span<const std::byte> bytes, size_t count, float* buffer) {
  using As = Elements::As;
  if (type == DataType::Float) return {As::Float, bytes.data()};
  if (type == DataType::Float16) return {As::Half, bytes.data()};
  if (type == DataType::BFloat16) return {As::BFloat, bytes.data()};
  return {As::Float, as_floats(type, bytes, count, buffer)};
}

std::optional<Elements> double_elements(DataType type, std::span<const std::byte> bytes, size_t count, double* buffer) {
  if (type == DataType::Double) return Elements{Elements::As::Double, bytes.data()};
  if (fits_floats(type)) {
    float made[kBlock];
    const float* floats = as_floats(type, bytes, count, made);
    for (size_t i = 0; i < count; ++i) buffer[i] = floats[i];
  } else {
    if (!all_exact(type, bytes, count)) return std::nullopt;
    convert_integers(type, bytes, count, buffer);
  }
  return Elements{Elements::As::Double, buffer};
}

long double element_of(DataType type, std::span<const std::byte> bytes, size_t index) {
  if (type == DataType::Float) return stored<float>(bytes, index);
  if (type == DataType::Double) return stored<double>(bytes, index);
  if (type == DataType::Float16) return half_to_float(stored<uint16_t>(bytes, index));
  if (type == DataType::BFloat16) return bf16_to_float(stored<uint16_t>(bytes, index));
  if (type == DataType::Bool) return bytes[index] == std::byte{0} ? 0 : 1;
  if (!graph::small_float_values(type).empty()) return small_float(type, bytes[index]);
  long double value = NAN;
  with_integer(type, [&]<class T>(T) { value = static_cast<long double>(stored<T>(bytes, index)); });
  return value;
}

Spacing Spacing::of(DataType type) {
  switch (type) {
    case DataType::Double:
      return {52, -1074};
    case DataType::Float:
      return {23, -149};
    case DataType::Float16:
      return {10, -24};
    case DataType::BFloat16:
      return {7, -133};
    case DataType::Float8E4M3FN:
      return {3, -9};
    case DataType::Float8E5M2:
      return {2, -16};
    case DataType::Float8E8M0:
      return {0, -127};
    case DataType::Float4E2M1:
      return {1, -1};
    default:
      return {kWhole, 0};
  }
}

Spacing Spacing::coarser(DataType a, DataType b) {
  const Spacing one = of(a), other = of(b);
  if (one.digits == kWhole) return other;
  if (other.digits == kWhole) return one;
  return {std::min(one.digits, other.digits), std::max(one.least, other.least)};
}

long double Spacing::unit_at(long double y) const {
  return std::ldexp(1.0L, y == 0 || !std::isfinite(y) ? least : std::max(std::ilogb(y) - digits, least));
}

}  // namespace belay::compare
