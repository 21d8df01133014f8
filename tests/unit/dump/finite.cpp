// SPDX-License-Identifier: Apache-2.0
// Against std::isfinite on each element as a double.
#include "dump/finite.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "backend/cpu/parallel.h"
#include "base/half.h"

namespace belay::dump {
namespace {

using graph::DataType;

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
    ASSERT_EQ(all_finite(DataType::Float16, one.data(), 1), plainly_finite(one, of_half)) << bits;
    ASSERT_EQ(all_finite(DataType::BFloat16, one.data(), 1), plainly_finite(one, of_bf16)) << bits;
    const std::vector<uint16_t> many(64, one[0]);  // whole vectors
    ASSERT_EQ(all_finite(DataType::Float16, many.data(), 64), plainly_finite(one, of_half)) << bits;
    ASSERT_EQ(all_finite(DataType::BFloat16, many.data(), 64), plainly_finite(one, of_bf16)) << bits;
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
    ASSERT_EQ(all_finite(type, bits.data(), bits.size()), want) << round;
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
  EXPECT_TRUE(all_finite(DataType::Float, values.data(), values.size()));
  for (size_t i = 0; i < values.size(); ++i) {
    const float before = values[i];
    values[i] = i % 3 == 0 ? inf : i % 3 == 1 ? -inf : nan;
    ASSERT_FALSE(all_finite(DataType::Float, values.data(), values.size())) << i;
    values[i] = before;
  }
}

TEST(AllFinite, TheNumberOfThreadsChangesNothing) {
  std::vector<double> values(1 << 20, -1e308);
  for (const int threads : {1, 2, 5}) {
    const backend::cpu::ThreadScope scope(threads);
    for (const size_t at : {size_t{0}, values.size() / 2, values.size() - 1}) {
      EXPECT_TRUE(all_finite(DataType::Double, values.data(), values.size()));
      values[at] = nan;
      EXPECT_FALSE(all_finite(DataType::Double, values.data(), values.size()));
      values[at] = 0;
    }
  }
}

TEST(AllFinite, ComplexNumbersCountByBothPartsAndIntegersAlways) {
  const float parts[] = {1, 2, 3, inf};
  EXPECT_TRUE(all_finite(DataType::Complex64, parts, 1));
  EXPECT_FALSE(all_finite(DataType::Complex64, parts, 2));
  const std::vector<uint8_t> ones(64, 0xff);
  EXPECT_TRUE(all_finite(DataType::Int32, ones.data(), 16));
  EXPECT_TRUE(all_finite(DataType::UInt8, ones.data(), 64));
  EXPECT_TRUE(all_finite(DataType::Float, nullptr, 0));
}

}  // namespace
}  // namespace belay::dump
