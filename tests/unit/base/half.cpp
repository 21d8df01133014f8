// SPDX-License-Identifier: Apache-2.0
#include "base/half.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

namespace belay {
namespace {

// The second implementation: the value by its definition, in double, where every half and bf16 is exact.
double value_of(uint16_t bits, int fraction_bits, int bias) {
  const int exponent_bits = 15 - fraction_bits;
  const int exponent = (bits & 0x7fff) >> fraction_bits;
  const int fraction = bits & ((1 << fraction_bits) - 1);
  const double sign = bits & 0x8000 ? -1 : 1;
  if (exponent == (1 << exponent_bits) - 1)
    return fraction ? std::numeric_limits<double>::quiet_NaN() : sign * std::numeric_limits<double>::infinity();
  if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias - fraction_bits);
  return sign * std::ldexp(fraction + (1 << fraction_bits), exponent - bias - fraction_bits);
}

double half_value(uint16_t bits) { return value_of(bits, 10, 15); }
double bf16_value(uint16_t bits) { return value_of(bits, 7, 127); }

TEST(Half, EveryValueToFloatIsTheDefinitionsValue) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const double expected = half_value(static_cast<uint16_t>(bits));
    const float value = half_to_float(static_cast<uint16_t>(bits));
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(value)) << bits;
    } else {
      ASSERT_EQ(value, expected) << bits;
    }
    ASSERT_EQ(std::signbit(value), bits >= 0x8000) << bits;
  }
}

TEST(Half, EveryValueSurvivesThereAndBack) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const uint16_t back = float_to_half(half_to_float(static_cast<uint16_t>(bits)));
    const bool nan = (bits & 0x7fff) > 0x7c00;
    ASSERT_EQ(back, nan ? bits | 0x200 : bits);
  }
}

// Between two neighbours: the midpoint goes to the even one, one float step off the midpoint to the nearer.
template <class ToBits, class Value>
void expect_ties_to_even(uint16_t infinity, ToBits to_bits, Value value) {
  for (uint16_t low = 0; low + 1 < infinity; ++low) {
    const auto high = static_cast<uint16_t>(low + 1);
    const auto middle = static_cast<float>((value(low) + value(high)) / 2);
    const uint16_t even = low % 2 == 0 ? low : high;
    ASSERT_EQ(to_bits(middle), even) << low;
    ASSERT_EQ(to_bits(std::nextafter(middle, 0.0f)), low) << low;
    ASSERT_EQ(to_bits(std::nextafter(middle, INFINITY)), high) << low;
    ASSERT_EQ(to_bits(-middle), even | 0x8000) << low;
  }
}

TEST(Half, EveryMidpointRoundsToEvenAndItsNeighboursToTheNearest) {
  expect_ties_to_even(0x7c00, float_to_half, half_value);
}

TEST(Half, LimitsAreThoseOfTheFormat) {
  EXPECT_EQ(float_to_half(65504.0f), 0x7bff);
  EXPECT_EQ(float_to_half(65519.99f), 0x7bff);
  EXPECT_EQ(float_to_half(65520.0f), 0x7c00);
  EXPECT_EQ(float_to_half(-1e30f), 0xfc00);
  EXPECT_EQ(float_to_half(INFINITY), 0x7c00);
  EXPECT_EQ(float_to_half(0x1p-25f), 0x0000);
  EXPECT_EQ(float_to_half(0x1.000002p-25f), 0x0001);
  EXPECT_EQ(float_to_half(-0.0f), 0x8000);
  EXPECT_EQ(float_to_half(std::numeric_limits<float>::denorm_min()), 0x0000);
  EXPECT_EQ(float_to_half(0.1f), 0x2e66);  // numpy.float16(0.1)
  EXPECT_EQ(float_to_half(3.14159265f), 0x4248);
}

TEST(Half, NanStaysNanAndKeepsItsSign) {
  for (const uint32_t bits : {0x7f800001u, 0x7fc00000u, 0x7fffffffu}) {
    EXPECT_GT(float_to_half(std::bit_cast<float>(bits)) & 0x7fff, 0x7c00) << bits;
    EXPECT_TRUE(float_to_half(std::bit_cast<float>(bits | 0x80000000u)) & 0x8000) << bits;
    EXPECT_GT(float_to_bf16(std::bit_cast<float>(bits)) & 0x7fff, 0x7f80) << bits;
  }
}

TEST(Bf16, EveryValueIsTheUpperHalfOfAFloatAndSurvives) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float value = bf16_to_float(static_cast<uint16_t>(bits));
    const double expected = bf16_value(static_cast<uint16_t>(bits));
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(value));
      ASSERT_EQ(float_to_bf16(value), bits | 0x40);
    } else {
      ASSERT_EQ(value, expected);
      ASSERT_EQ(float_to_bf16(value), bits);
    }
  }
}

TEST(Bf16, EveryMidpointRoundsToEvenAndItsNeighboursToTheNearest) {
  expect_ties_to_even(0x7f80, float_to_bf16, bf16_value);
  EXPECT_EQ(float_to_bf16(std::numeric_limits<float>::max()), 0x7f80);
}

TEST(HalfwayFloat, WhatLiesBesideATieIsRoundedToItsOwnSide) {
  for (uint32_t bits = 1; bits < 0x7c00; ++bits) {  // between two halves that follow each other
    const double low = half_value(static_cast<uint16_t>(bits - 1)), high = half_value(static_cast<uint16_t>(bits));
    if (std::isinf(high)) break;
    const double middle = (low + high) / 2, little = (high - low) * 1e-12;
    ASSERT_EQ(float_to_half(halfway_float(middle - little)), bits - 1);
    ASSERT_EQ(float_to_half(halfway_float(middle + little)), bits);
    ASSERT_EQ(float_to_half(halfway_float(-middle - little)), bits | 0x8000);
    ASSERT_EQ(float_to_half(halfway_float(middle)), float_to_half(static_cast<float>(middle)));
  }
}

TEST(HalfwayFloat, IntegersBesideATieAreRoundedToTheirOwnSide) {
  for (int bits = 9; bits < 62; ++bits) {  // 2^bits * (1 + 1/256) is a tie of bf16, where it is whole
    const int64_t one = int64_t{1} << bits, tie = one + (one >> 8);
    const uint16_t even = float_to_bf16(static_cast<float>(one));
    ASSERT_EQ(float_to_bf16(halfway_float(tie + 1)), even + 1) << bits;
    ASSERT_EQ(float_to_bf16(halfway_float(tie - 1)), even) << bits;
    ASSERT_EQ(float_to_bf16(halfway_float(tie)), even) << bits;
    ASSERT_EQ(float_to_bf16(halfway_float(-tie - 1)), (even + 1) | 0x8000) << bits;
    ASSERT_EQ(float_to_bf16(halfway_float(static_cast<uint64_t>(tie) + 1)), even + 1) << bits;
  }
  EXPECT_EQ(halfway_float(INT64_MIN), -0x1p63f);
  EXPECT_EQ(float_to_bf16(halfway_float(UINT64_MAX)), float_to_bf16(0x1p64f));
  EXPECT_EQ(halfway_float(-std::numeric_limits<double>::infinity()), -std::numeric_limits<float>::infinity());
}

}  // namespace
}  // namespace belay
