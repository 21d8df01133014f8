// SPDX-License-Identifier: Apache-2.0
#include "runtime/stream/random.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>
#include <vector>

#include "acl/acl_rt.h"
#include "base/half.h"

namespace belay {
namespace {

using testing::HasSubstr;

constexpr size_t kCount = 200000;

RandomParameter real(double value) { return {.real = value}; }

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double variance(const std::vector<double>& values) {
  const double middle = mean(values);
  double sum = 0;
  for (const double value : values) sum += (value - middle) * (value - middle);
  return sum / static_cast<double>(values.size());
}

// The largest distance between the values' distribution and `cdf`, times the root of their number: above 1.95 once in a
// thousand times when they agree (Kolmogorov).
template <class Cdf>
double kolmogorov(std::vector<double> values, Cdf cdf) {
  std::ranges::sort(values);
  const auto count = static_cast<double>(values.size());
  double largest = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const double wanted = cdf(values[i]);
    largest = std::max({largest, std::abs(wanted - static_cast<double>(i) / count),
                        std::abs(wanted - static_cast<double>(i + 1) / count)});
  }
  return largest * std::sqrt(count);
}

double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

std::vector<double> floats(const std::vector<float>& values) { return {values.begin(), values.end()}; }

TEST(Random, UniformNumbersFillTheirRangeEvenly) {
  std::vector<float> out(kCount);
  ASSERT_TRUE(fill_uniform(RandomBits(1, 2), out.data(), kCount, ACL_FLOAT, real(-3), real(5)).ok());
  const auto values = floats(out);
  EXPECT_GE(*std::ranges::min_element(values), -3);
  EXPECT_LE(*std::ranges::max_element(values), 5);
  EXPECT_NEAR(mean(values), 1, 0.03);
  EXPECT_NEAR(variance(values), 64.0 / 12, 0.05);
  EXPECT_LT(kolmogorov(values, [](double x) { return (x + 3) / 8; }), 1.95);
}

TEST(Random, NormalNumbersFollowTheBell) {
  std::vector<float> out(kCount);
  ASSERT_TRUE(fill_normal(RandomBits(3, 0), out.data(), kCount, ACL_FLOAT, 10, 2).ok());
  const auto values = floats(out);
  EXPECT_NEAR(mean(values), 10, 0.03);
  EXPECT_NEAR(variance(values), 4, 0.06);
  EXPECT_LT(kolmogorov(values, [](double x) { return normal_cdf((x - 10) / 2); }), 1.95);
}

TEST(Random, TruncatedNormalNumbersStayWithinTwoDeviations) {
  std::vector<float> out(kCount);
  ASSERT_TRUE(fill_truncated_normal(RandomBits(4, 0), out.data(), kCount, ACL_FLOAT, -1, 0.5).ok());
  const auto values = floats(out);
  EXPECT_GE(*std::ranges::min_element(values), -2);
  EXPECT_LE(*std::ranges::max_element(values), 0);
  const double inside = normal_cdf(2) - normal_cdf(-2);
  EXPECT_LT(kolmogorov(values, [&](double x) { return (normal_cdf((x + 1) / 0.5) - normal_cdf(-2)) / inside; }), 1.95);
  // 1 - 4 φ(2) / (Φ(2) - Φ(-2)) = 0.7737 of the variance is left.
  EXPECT_NEAR(variance(values), 0.25 * 0.7737, 0.004);
}

TEST(Random, HalfTypesAreRoundedFromTheSameNumbers) {
  std::vector<float> single(1000);
  std::vector<uint16_t> half(1000), bfloat(1000);
  const RandomBits bits(5, 5);
  ASSERT_TRUE(fill_normal(bits, single.data(), 1000, ACL_FLOAT, 0, 1).ok());
  ASSERT_TRUE(fill_normal(bits, half.data(), 1000, ACL_FLOAT16, 0, 1).ok());
  ASSERT_TRUE(fill_normal(bits, bfloat.data(), 1000, ACL_BF16, 0, 1).ok());
  for (size_t i = 0; i < 1000; ++i) {
    ASSERT_EQ(half[i], float_to_half(single[i]));
    ASSERT_EQ(bfloat[i], float_to_bf16(single[i]));
  }
}

template <class T>
void check_integers(aclDataType type, RandomParameter min, RandomParameter max, T first) {
  std::vector<T> out(kCount);
  ASSERT_TRUE(fill_uniform(RandomBits(6, 1), out.data(), kCount, type, min, max).ok());
  std::map<T, double> counts;
  for (const T value : out) ++counts[value];
  ASSERT_EQ(counts.size(), 10u);
  EXPECT_EQ(counts.begin()->first, first);
  double chi = 0;  // 9 degrees of freedom: above 27.9 once in a thousand
  for (const auto& [value, count] : counts) chi += (count - kCount / 10.0) * (count - kCount / 10.0) / (kCount / 10.0);
  EXPECT_LT(chi, 27.9);
}

TEST(Random, IntegersOfARangeAreEquallyLikelyAndLeaveOutTheMaximum) {
  check_integers<int32_t>(ACL_INT32, {.integer = -5}, {.integer = 5}, -5);
  check_integers<int64_t>(ACL_INT64, {.integer = INT64_MIN}, {.integer = INT64_MIN + 10}, INT64_MIN);
  check_integers<uint32_t>(ACL_UINT32, {.whole = 0xfffffff0}, {.whole = 0xfffffffa}, 0xfffffff0);
  check_integers<uint64_t>(ACL_UINT64, {.whole = 7}, {.whole = 17}, 7);
}

TEST(Random, TheWholeRangeOfAnIntegerTypeIsUsed) {
  std::vector<int64_t> out(1000);
  ASSERT_TRUE(
      fill_uniform(RandomBits(6, 1), out.data(), 1000, ACL_INT64, {.integer = INT64_MIN}, {.integer = INT64_MAX}).ok());
  EXPECT_LT(*std::ranges::min_element(out), INT64_MIN / 2);
  EXPECT_GT(*std::ranges::max_element(out), INT64_MAX / 2);
}

TEST(Random, AMaskDropsBitsWithTheRatio) {
  for (const double ratio : {0.0, 0.1, 0.5, 1.0}) {
    std::vector<uint8_t> mask(kCount / 8 + 1, 0xff);
    ASSERT_TRUE(fill_dropout_mask(RandomBits(7, 0), mask.data(), kCount - 3, ratio).ok());
    double kept = 0;
    for (size_t i = 0; i < kCount / 8; ++i) kept += std::popcount(mask[i]);
    EXPECT_NEAR(kept / (kCount - 3), 1 - ratio, 0.005) << ratio;
    EXPECT_EQ(mask[kCount / 8 - 1] >> 5, 0);  // past the last bit
    EXPECT_EQ(mask[kCount / 8], 0xff);        // not touched
  }
}

TEST(Random, SameSeedAndCounterGiveTheSameNumbersOthersGiveOthers) {
  const auto draw = [](uint64_t seed, uint64_t counter) {
    std::vector<float> out(100);
    EXPECT_TRUE(fill_uniform(RandomBits(seed, counter), out.data(), 100, ACL_FLOAT, real(0), real(1)).ok());
    return out;
  };
  EXPECT_EQ(draw(1, 1), draw(1, 1));
  EXPECT_NE(draw(1, 1), draw(1, 2));
  EXPECT_NE(draw(1, 1), draw(2, 1));
  EXPECT_NE(draw(1, 1), draw(1 | uint64_t{1} << 40, 1));
}

TEST(Random, NeighboursAreNotCorrelated) {
  const RandomBits bits(9, 9);
  double sum = 0;
  for (uint64_t i = 0; i < kCount; ++i) sum += (bits.uniform(i) - 0.5) * (bits.uniform(i + 1) - 0.5);
  EXPECT_NEAR(sum / kCount * 12, 0, 4 / std::sqrt(double{kCount}));
}

TEST(Random, RefusesWhatMakesNoSense) {
  float out[4];
  const RandomBits bits(1, 1);
  EXPECT_EQ(fill_uniform(bits, out, 4, ACL_FLOAT, real(2), real(1)).code, ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(fill_uniform(bits, out, 4, ACL_INT32, {.integer = 2}, {.integer = 1}).code, ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_THAT(fill_uniform(bits, out, 4, ACL_INT8, real(0), real(1)).message, HasSubstr("data type 2 is not one of"));
  EXPECT_EQ(fill_normal(bits, out, 4, ACL_FLOAT, 0, -1).code, ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(fill_normal(bits, out, 4, ACL_INT32, 0, 1).code, ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(fill_truncated_normal(bits, out, 4, ACL_FLOAT, NAN, 1).code, ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(fill_dropout_mask(bits, out, 4, 1.5).code, ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(read_random_parameter(out, ACL_STRING).status().code, ACL_ERROR_RT_PARAM_INVALID);
}

}  // namespace
}  // namespace belay
