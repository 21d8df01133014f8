// SPDX-License-Identifier: Apache-2.0
#include "runtime/stream/reduce.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace belay {
namespace {

constexpr Reduction kAll[] = {Reduction::Sum, Reduction::Max, Reduction::Min, Reduction::Equal};

// The second implementation: integers in 64 bits and then cut, floats in double.
template <class T>
T expected(Reduction op, T a, T b) {
  const auto wide_a = static_cast<int64_t>(a), wide_b = static_cast<int64_t>(b);
  switch (op) {
    case Reduction::Sum:
      return static_cast<T>(wide_a + wide_b);
    case Reduction::Max:
      return wide_b < wide_a ? a : b;
    case Reduction::Min:
      return wide_b < wide_a ? b : a;
    case Reduction::Equal:
      return wide_a == wide_b ? 1 : 0;
  }
  return 0;
}

double expected_real(Reduction op, double a, double b) {
  switch (op) {
    case Reduction::Sum:
      return a + b;
    case Reduction::Max:
      return std::fmax(a, b);
    case Reduction::Min:
      return std::fmin(a, b);
    case Reduction::Equal:
      return a == b;
  }
  return 0;
}

template <class T>
void check_integers(aclDataType type) {
  std::mt19937_64 random(1);
  for (const Reduction op : kAll) {
    std::vector<T> dst(1001), src(1001);
    for (auto& value : dst) value = static_cast<T>(random());
    for (size_t i = 0; i < src.size(); ++i) src[i] = i % 5 == 0 ? dst[i] : static_cast<T>(random());
    const auto before = dst;
    reduce(dst.data(), src.data(), dst.size() * sizeof(T), op, type);
    for (size_t i = 0; i < dst.size(); ++i) ASSERT_EQ(dst[i], expected(op, before[i], src[i])) << i;
  }
}

TEST(Reduce, IntegersOfAllSizesWrapOnOverflow) {
  check_integers<int8_t>(ACL_INT8);
  check_integers<int16_t>(ACL_INT16);
  check_integers<int32_t>(ACL_INT32);
}

TEST(Reduce, FloatsAgreeWithPlainArithmetic) {
  std::mt19937_64 random(2);
  std::normal_distribution<float> normal;
  for (const Reduction op : kAll) {
    std::vector<float> dst(1001), src(1001);
    for (auto& value : dst) value = normal(random);
    for (size_t i = 0; i < src.size(); ++i) src[i] = i % 5 == 0 ? dst[i] : normal(random);
    const auto before = dst;
    reduce(dst.data(), src.data(), dst.size() * sizeof(float), op, ACL_FLOAT);
    for (size_t i = 0; i < dst.size(); ++i)
      ASSERT_EQ(dst[i], static_cast<float>(expected_real(op, before[i], src[i]))) << i;
  }
}

double half_value(uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const double size = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return bits >> 15 ? -size : size;
}

double bf16_value(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

// The nearest of all finite 16-bit values, ties to the even pattern: slow and plain.
template <class Value>
uint16_t nearest(double wanted, Value value, uint16_t largest) {
  uint16_t low = 0, high = largest;  // magnitudes, found by halving
  const double size = std::abs(wanted);
  while (high - low > 1) {
    const auto middle = static_cast<uint16_t>((low + high) / 2);
    (value(middle) <= size ? low : high) = middle;
  }
  const double below = size - value(low), above = value(high) - size;
  const uint16_t chosen = below < above || (below == above && low % 2 == 0) ? low : high;
  return static_cast<uint16_t>(chosen | (std::signbit(wanted) ? 0x8000 : 0));
}

template <class Value>
void check_halves(aclDataType type, Value value, uint16_t largest) {
  std::mt19937 random(3);
  for (const Reduction op : kAll) {
    std::vector<uint16_t> dst(5001), src(5001);
    const auto pick = [&] {
      return static_cast<uint16_t>(random() % (largest * 3 / 4u) | (random() % 2 ? 0x8000 : 0));
    };
    for (auto& bits : dst) bits = pick();
    for (size_t i = 0; i < src.size(); ++i) src[i] = i % 5 == 0 ? dst[i] : pick();
    const auto before = dst;
    reduce(dst.data(), src.data(), dst.size() * 2, op, type);
    for (size_t i = 0; i < dst.size(); ++i) {
      const double exact = expected_real(op, value(before[i]), value(src[i]));
      // A bfloat16 sum may need more than a double's bits only when one side vanishes beside the other anyway.
      ASSERT_EQ(value(dst[i]), value(nearest(exact, value, largest))) << i;
    }
  }
}

TEST(Reduce, HalfTypesAreRoundedOnceToTheNearest) {
  check_halves(ACL_FLOAT16, half_value, 0x7bff);
  check_halves(ACL_BF16, bf16_value, 0x7f7f);
}

TEST(Reduce, NotANumberStaysNotANumberInMaxAndMin) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  float dst[] = {nan, 1, 2}, src[] = {1, nan, 3};
  reduce(dst, src, sizeof dst, Reduction::Max, ACL_FLOAT);
  EXPECT_TRUE(std::isnan(dst[0]) && std::isnan(dst[1]));
  EXPECT_EQ(dst[2], 3);
}

TEST(Reduce, KnowsSixTypes) {
  EXPECT_EQ(reduced_element_size(ACL_INT8), 1u);
  EXPECT_EQ(reduced_element_size(ACL_BF16), 2u);
  EXPECT_EQ(reduced_element_size(ACL_FLOAT), 4u);
  EXPECT_EQ(reduced_element_size(ACL_DOUBLE), 0u);
  EXPECT_EQ(reduced_element_size(ACL_UINT8), 0u);
  EXPECT_EQ(reduced_element_size(ACL_DT_UNDEFINED), 0u);
}

}  // namespace
}  // namespace belay
