// SPDX-License-Identifier: Apache-2.0
// Against std::isfinite on each element as a double.
#include "backend/finite.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "backend/layout.h"
#include "base/half.h"
#include "base/threads/parallel.h"
#include "graph/tensor/finite.h"

namespace belay::backend::cpu {
namespace {

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

template <class T>
bool plainly_finite(const std::vector<T>& bits, double (*value)(T)) {
  for (const T each : bits)
    if (!std::isfinite(value(each))) return false;
  return true;
}

double of_half(uint16_t bits) { return half_to_float(bits); }
double of_bf16(uint16_t bits) { return bf16_to_float(bits); }
double of_float(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
double of_double(uint64_t bits) {
  double value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

TEST(AllFinite, Each16BitPatternIsJudgedAsItsValue) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const std::vector<uint16_t> one{static_cast<uint16_t>(bits)};
    ASSERT_EQ(graph::all_finite(DataType::Float16, one.data(), 1), plainly_finite(one, of_half)) << bits;
    ASSERT_EQ(graph::all_finite(DataType::BFloat16, one.data(), 1), plainly_finite(one, of_bf16)) << bits;
    const std::vector<uint16_t> many(64, one[0]);  // whole vectors
    ASSERT_EQ(graph::all_finite(DataType::Float16, many.data(), 64), plainly_finite(one, of_half)) << bits;
    ASSERT_EQ(graph::all_finite(DataType::BFloat16, many.data(), 64), plainly_finite(one, of_bf16)) << bits;
  }
}

template <class T>
void expect_as_plain(DataType type, double (*value)(T)) {
  std::mt19937_64 random(7);
  int finite = 0;
  for (int round = 0; round < 4000; ++round) {
    std::vector<T> bits(random() % 70);
    for (T& each : bits) each = static_cast<T>(random());
    const bool want = plainly_finite(bits, value);
    finite += want;
    ASSERT_EQ(graph::all_finite(type, bits.data(), bits.size()), want) << round;
  }
  EXPECT_GT(finite, 100);  // both answers occur
}

TEST(AllFinite, AnyBitsOfAnyLengthAreJudgedAsByAPlainLoop) {
  expect_as_plain<uint16_t>(DataType::Float16, of_half);
  expect_as_plain<uint16_t>(DataType::BFloat16, of_bf16);
  expect_as_plain<uint32_t>(DataType::Float, of_float);
  expect_as_plain<uint64_t>(DataType::Double, of_double);
}

TEST(AllFinite, OneBadElementIsFoundWhereverItIs) {
  std::vector<float> values(3 * 4096 + 21, std::numeric_limits<float>::max());
  EXPECT_TRUE(graph::all_finite(DataType::Float, values.data(), values.size()));
  for (size_t i = 0; i < values.size(); ++i) {
    const float before = values[i];
    values[i] = i % 3 == 0 ? inf : i % 3 == 1 ? -inf : nan;
    ASSERT_FALSE(graph::all_finite(DataType::Float, values.data(), values.size())) << i;
    values[i] = before;
  }
}

TEST(AllFinite, TheNumberOfThreadsChangesNothing) {
  std::vector<double> values(1 << 20, -1e308);
  for (const int threads : {1, 2, 5}) {
    const ThreadScope scope(threads);
    for (const size_t at : {size_t{0}, values.size() / 2, values.size() - 1}) {
      EXPECT_TRUE(graph::all_finite(DataType::Double, values.data(), values.size()));
      values[at] = nan;
      EXPECT_FALSE(graph::all_finite(DataType::Double, values.data(), values.size()));
      values[at] = 0;
    }
  }
}

TEST(AllFinite, ComplexNumbersCountByBothPartsAndIntegersAlways) {
  const float parts[] = {1, 2, 3, inf};
  EXPECT_TRUE(graph::all_finite(DataType::Complex64, parts, 1));
  EXPECT_FALSE(graph::all_finite(DataType::Complex64, parts, 2));
  const std::vector<uint8_t> ones(64, 0xff);
  EXPECT_TRUE(graph::all_finite(DataType::Int32, ones.data(), 16));
  EXPECT_TRUE(graph::all_finite(DataType::UInt8, ones.data(), 64));
  EXPECT_TRUE(graph::all_finite(DataType::Float, nullptr, 0));
}

TEST(IsFinite, TensorsWithoutElementsOrNumbersAre) {
  EXPECT_TRUE(is_finite({.present = false}));
  EXPECT_TRUE(is_finite({DataType::Float, {2}}));
  std::vector<float> bad{inf};
  EXPECT_TRUE(is_finite({DataType::Float, {0, 3}, Layout::Plain, bad.data()}));
  EXPECT_TRUE(is_finite({DataType::String, {1}, Layout::Plain, bad.data()}));
  EXPECT_FALSE(is_finite({DataType::Float, {}, Layout::Plain, bad.data()}));
}

TEST(LargestMagnitude, NanIsAboveInfinityAndTheSignDoesNotCount) {
  const std::vector<float> values{1, -7, 3, inf, nan};
  EXPECT_EQ(graph::largest_magnitude(DataType::Float, values.data(), 3), 7);
  EXPECT_EQ(graph::largest_magnitude(DataType::Float, values.data(), 4), inf);
  EXPECT_TRUE(std::isnan(graph::largest_magnitude(DataType::Float, values.data(), 5)));
  EXPECT_EQ(graph::largest_magnitude(DataType::Int32, values.data(), 5), 0);
}

// The largest numbers of IEEE 754 binary16, bfloat16 and binary32, by their definitions.
TEST(Saturate, InfinitiesBecomeTheLargestNumberOfTheirSignAndNanZero) {
  std::vector<uint16_t> half{0x7c00, 0xfc00, 0x7e00, 0x3c00, 0xfc01};
  EXPECT_TRUE(saturate({DataType::Float16, {5}, Layout::Plain, half.data()}));
  EXPECT_EQ(half, (std::vector<uint16_t>{0x7bff, 0xfbff, 0, 0x3c00, 0}));
  std::vector<uint16_t> brain{0x7f80, 0xff80, 0x7fc0, 0x3f80};
  EXPECT_TRUE(saturate({DataType::BFloat16, {4}, Layout::Plain, brain.data()}));
  EXPECT_EQ(brain, (std::vector<uint16_t>{0x7f7f, 0xff7f, 0, 0x3f80}));
  constexpr float most = std::numeric_limits<float>::max();
  std::vector<float> single{inf, -inf, nan, -2};
  EXPECT_TRUE(saturate({DataType::Float, {4}, Layout::Plain, single.data()}));
  EXPECT_EQ(single, (std::vector<float>{most, -most, 0, -2}));
}

TEST(Saturate, WhatIsFiniteStaysAsItIs) {
  std::vector<float> values{1, -std::numeric_limits<float>::max()};
  const std::vector<float> before = values;
  EXPECT_FALSE(saturate({DataType::Float, {2}, Layout::Plain, values.data()}));
  EXPECT_EQ(values, before);
  std::vector<uint8_t> ones(8, 0xff);
  EXPECT_FALSE(saturate({DataType::Int32, {2}, Layout::Plain, ones.data()}));
  EXPECT_FALSE(saturate({.present = false}));
}

}  // namespace
}  // namespace belay::backend::cpu
