// SPDX-License-Identifier: Apache-2.0
#include "graph/tensor/small_floats.h"

#include <array>
#include <cmath>

namespace belay::graph {
namespace {

enum class Special { None, NanOnly, Infinities };

// Sign, `exponent_bits` with a bias, the rest fraction. With Infinities the largest exponent is IEEE's; with NanOnly
// all ones are NaN.
template <size_t size>
std::array<float, size> signed_values(int exponent_bits, Special special) {
  constexpr int half = size / 2;
  constexpr int bits = size == 256 ? 8 : 4;
  const int fraction_bits = bits - 1 - exponent_bits, bias = (1 << (exponent_bits - 1)) - 1;
  const int top = (1 << exponent_bits) - 1;
  std::array<float, size> values;
  for (int pattern = 0; pattern < static_cast<int>(size); ++pattern) {
    const int exponent = pattern >> fraction_bits & top, fraction = pattern & ((1 << fraction_bits) - 1);
    float value = exponent == 0 ? std::ldexp(static_cast<float>(fraction), 1 - bias - fraction_bits)
                                : std::ldexp(static_cast<float>(fraction + (1 << fraction_bits)),
                                             exponent - bias - fraction_bits);
    const bool all_ones = exponent == top && fraction == (1 << fraction_bits) - 1;
    if (special == Special::Infinities && exponent == top) value = fraction == 0 ? INFINITY : NAN;
    if (special == Special::NanOnly && all_ones) value = NAN;
    values[pattern] = pattern < half ? value : -value;
  }
  return values;
}

std::array<float, 256> powers_of_two() {
  std::array<float, 256> values;
  for (int pattern = 0; pattern < 255; ++pattern) values[pattern] = std::ldexp(1.0F, pattern - 127);
  values[255] = NAN;
  return values;
}

}  // namespace

std::span<const float> small_float_values(DataType type) {
  static const auto e5m2 = signed_values<256>(5, Special::Infinities), e4m3 = signed_values<256>(4, Special::NanOnly);
  static const auto e8m0 = powers_of_two();
  static const auto e2m1 = signed_values<16>(2, Special::None);
  if (type == DataType::Float8E5M2) return e5m2;
  if (type == DataType::Float8E4M3FN) return e4m3;
  if (type == DataType::Float8E8M0) return e8m0;
  if (type == DataType::Float4E2M1) return e2m1;
  return {};
}

}  // namespace belay::graph
