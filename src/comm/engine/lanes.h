// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

// Conversions of base/half.h again, bit for bit, without branches: a compiler makes them work on many elements at once.
// Of a NaN they make the one quiet NaN: which of two NaN an addition keeps depends on how a compiler orders them, and
// so on where an element lies.
namespace belay::comm {

inline uint32_t either(bool which, uint32_t yes, uint32_t no) { return which ? yes : no; }

inline float lane_from_half(uint16_t bits) {
  constexpr uint32_t kRebias = 112u << 23;
  const uint32_t shifted = uint32_t{bits & 0x7fffu} << 13, exponent = shifted & 0x0f800000u;
  // A subnormal is what its fraction adds to the smallest normal number.
  const uint32_t least = kRebias + (1u << 23);
  const uint32_t small = std::bit_cast<uint32_t>(std::bit_cast<float>(shifted + least) - std::bit_cast<float>(least));
  const uint32_t quiet = either((shifted & 0x007fe000u) != 0, 0x400000u, 0);
  const uint32_t special = (shifted + 2 * kRebias) | quiet;
  const uint32_t magnitude = either(exponent == 0, small, either(exponent == 0x0f800000u, special, shifted + kRebias));
  return std::bit_cast<float>(magnitude | uint32_t{bits & 0x8000u} << 16);
}

inline uint16_t lane_to_half(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value), magnitude = bits & 0x7fffffffu;
  const uint32_t normal = (magnitude - (112u << 23) + 0xfffu + ((magnitude >> 13) & 1)) >> 13;
  // Added to a number whose last place is that of the subnormals, it is rounded to them.
  const uint32_t small =
      std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - std::bit_cast<uint32_t>(0.5f);
  const uint32_t large = either(magnitude > 0x7f800000u, 0x7e00u, 0x7c00u);
  const uint32_t half = either(magnitude < (113u << 23), small, either(magnitude >= 0x477ff000u, large, normal));
  return static_cast<uint16_t>(half | either(magnitude > 0x7f800000u, 0, (bits >> 16) & 0x8000u));
}

inline float lane_from_bf16(uint16_t bits) { return std::bit_cast<float>(uint32_t{bits} << 16); }

inline uint16_t lane_to_bf16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1)) >> 16;
  return static_cast<uint16_t>(either((bits & 0x7fffffffu) > 0x7f800000u, 0x7fc0u, rounded));
}

}  // namespace belay::comm
