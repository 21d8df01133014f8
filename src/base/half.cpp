// SPDX-License-Identifier: Apache-2.0
#include "base/half.h"

#include <bit>

namespace belay {
namespace {

// `bits` without its lowest `drop` bits, rounded to nearest, ties to even. A carry runs into the exponent, as it
// should.
uint32_t rounded(uint32_t bits, uint32_t drop) {
  const uint32_t odd = (bits >> drop) & 1;
  return (bits + (1u << (drop - 1)) - 1 + odd) >> drop;
}

}  // namespace

float half_to_float(uint16_t bits) {
  const uint32_t sign = uint32_t{bits & 0x8000u} << 16;
  const uint32_t exponent = (bits >> 10) & 0x1f;
  const uint32_t fraction = bits & 0x3ff;
  if (exponent == 0x1f) {
    const uint32_t quiet = fraction ? 0x400000u : 0;
    return std::bit_cast<float>(sign | 0x7f800000u | quiet | fraction << 13);
  }
  if (exponent == 0) {
    const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
    return sign ? -magnitude : magnitude;
  }
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
}

uint16_t float_to_half(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = (bits >> 16) & 0x8000;
  const uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return static_cast<uint16_t>(sign | 0x7e00 | ((magnitude >> 13) & 0x3ff));
  if (magnitude >= 0x477ff000) return static_cast<uint16_t>(sign | 0x7c00);  // 65520 and more round to infinity
  if (magnitude >= 0x38800000) return static_cast<uint16_t>(sign | rounded(magnitude - (112u << 23), 13));
  if (magnitude < 0x33000000) return static_cast<uint16_t>(sign);  // below half of the smallest subnormal
  const uint32_t significand = (magnitude & 0x7fffff) | 0x800000;
  return static_cast<uint16_t>(sign | rounded(significand, 126 - (magnitude >> 23)));
}

float bf16_to_float(uint16_t bits) { return std::bit_cast<float>(uint32_t{bits} << 16); }

uint16_t float_to_bf16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffff) > 0x7f800000) return static_cast<uint16_t>(bits >> 16 | 0x40);
  return static_cast<uint16_t>(rounded(bits, 16));
}

}  // namespace belay
