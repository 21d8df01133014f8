// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>

namespace belay {

// IEEE binary16 and bfloat16, as bits. To float is exact; from float rounds to nearest, ties to even; what is too large
// becomes infinity; a NaN stays a NaN of the same sign, quiet.
float half_to_float(uint16_t bits);
uint16_t float_to_half(float value);
float bf16_to_float(uint16_t bits);
uint16_t float_to_bf16(float value);

// A float on the way from a wider number to 16 bits. Where it is not the number itself it is the neighbour whose last
// bit is set: no tie of the 16 bits, so that what is rounded from it is what would be rounded from the number.
inline float halfway_float(double value) {
  const auto near = static_cast<float>(value);
  const auto bits = std::bit_cast<uint32_t>(near);
  if (static_cast<double>(near) == value || std::isnan(value) || (bits & 1) != 0) return near;
  return std::bit_cast<float>(std::fabs(static_cast<double>(near)) > std::fabs(value) ? bits - 1 : bits + 1);
}
template <std::integral I>
float halfway_float(I value) {
  if constexpr (sizeof(I) < 8) return halfway_float(static_cast<double>(value));
  constexpr auto most = static_cast<I>(int64_t{1} << 53);
  if (value <= most && (std::is_unsigned_v<I> || value >= -most)) return halfway_float(static_cast<double>(value));
  return halfway_float(static_cast<double>(value >> 11 | I{(value & 2047) != 0}) * 2048);
}
inline float halfway_float(float value) { return value; }

}  // namespace belay
