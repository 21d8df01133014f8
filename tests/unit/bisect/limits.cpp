// SPDX-License-Identifier: Apache-2.0
#include "bisect/limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace belay::bisect {
namespace {

using graph::DataType;

template <class T>
Array array(DataType type, const std::vector<T>& values) {
  Array made{"y", type, {static_cast<int64_t>(values.size())}, std::vector<std::byte>(values.size() * sizeof(T))};
  std::memcpy(made.bytes.data(), values.data(), made.bytes.size());
  return made;
}
Array floats(const std::vector<float>& values) { return array(DataType::Float, values); }

Distance between(const Array& x, const Array& y, const Limits& limits) {
  const auto result = distance(x, y, limits);
  EXPECT_TRUE(result.ok());
  return result.ok() ? *result : Distance{};
}

constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();

TEST(Distance, IsWhatTheFormulaSays) {
  const Limits limits{.rtol = 0.5, .atol = 1};
  const auto close = between(floats({3, 4}), floats({4, 0.5f}), limits);  // 1 of 3; 3.5 of 1.25
  EXPECT_FALSE(close.passes);
  EXPECT_DOUBLE_EQ(close.used, 3.5 / 1.25);
  EXPECT_EQ(close.worst, 1);
  EXPECT_DOUBLE_EQ(close.max_absolute, 3.5);
  EXPECT_DOUBLE_EQ(close.cosine, (12 + 2) / (5 * std::sqrt(16.25)));
  EXPECT_TRUE(between(floats({3, 1.5f}), floats({4, 0.5f}), limits).passes);
}

TEST(Distance, NothingThatIsNoNumberPassesForOne) {
  for (const float odd : {inf, -inf, nan}) {
    const auto off = between(floats({1, odd}), floats({1, 2}), {.rtol = 1e9});
    EXPECT_FALSE(off.passes);
    EXPECT_TRUE(std::isinf(off.used));
    EXPECT_EQ(off.worst, 1);
    EXPECT_FALSE(between(floats({1, odd}), floats({1, 2}), {.cosine = -1}).passes && std::isnan(odd));
    EXPECT_TRUE(between(floats({1, odd}), floats({1, odd}), {.rtol = 0, .cosine = 1}).passes);
  }
  EXPECT_FALSE(between(floats({inf}), floats({-inf}), {.rtol = 1}).passes);
}

TEST(Distance, EitherLimitAloneCounts) {
  EXPECT_TRUE(between(floats({2, 4}), floats({1, 2}), {.cosine = 0.999}).passes);
  EXPECT_FALSE(between(floats({2, 4}), floats({1, 2}), {.atol = 1.5}).passes);
  EXPECT_FALSE(between(floats({2, 4}), floats({1, 2}), {.atol = 1.5, .cosine = 0.999}).passes);
  EXPECT_FALSE(between(floats({1, -1}), floats({1, 1}), {.cosine = 0.1}).passes);
}

TEST(Distance, TypesMayDiffer) {
  const auto half = array<uint16_t>(DataType::Float16, {0x3c00, 0xc000});  // 1, -2
  EXPECT_TRUE(between(half, array<double>(DataType::Double, {1, -2}), {.atol = 0}).passes);
  EXPECT_TRUE(between(array<int64_t>(DataType::Int64, {1, -2}), half, {.atol = 0}).passes);
}

TEST(Distance, OtherShapesAreRefusedWithBoth) {
  const auto result = distance(floats({1, 2}), floats({1, 2, 3}), {});
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(result.status().message, testing::HasSubstr("output y is [2], what it is compared with is [3]"));
}

}  // namespace
}  // namespace belay::bisect
