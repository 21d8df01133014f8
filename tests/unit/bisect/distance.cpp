// SPDX-License-Identifier: Apache-2.0
#include "bisect/distance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

namespace belay::bisect {
namespace {

using graph::DataType;
using testing::HasSubstr;

template <class T>
Array array(DataType type, const std::vector<T>& values) {
  Array made{"y", type, {static_cast<int64_t>(values.size())}, std::vector<std::byte>(values.size() * sizeof(T))};
  std::memcpy(made.bytes.data(), values.data(), made.bytes.size());
  return made;
}
Array floats(const std::vector<float>& values) { return array(DataType::Float, values); }

TEST(Distance, SaysWhetherAndWhyAnOutputFails) {
  const compare::Limits limits{.rtol = 0.5, .atol = 1.0};
  const auto off = distance(floats({3, 4}), *truth_of(floats({4, 0.5f})), limits);  // 1 of 3; 3.5 of 1.25
  ASSERT_TRUE(off.ok());
  EXPECT_FALSE((*off).passes());
  EXPECT_THAT((*off).why, HasSubstr("1 of 2 elements"));
  EXPECT_EQ((*off).measures.worst.at, 1);
  const auto close = distance(floats({3, 1.5f}), *truth_of(floats({4, 0.5f})), limits);
  ASSERT_TRUE(close.ok());
  EXPECT_TRUE((*close).passes());
  EXPECT_FALSE(all_pass(std::vector{*off, *close}));
  EXPECT_TRUE(all_pass(std::vector{*close}));
}

TEST(Distance, TypesMayDiffer) {
  const auto half = array<uint16_t>(DataType::Float16, {0x3c00, 0xc000});  // 1, -2
  const auto same = distance(half, *truth_of(array<double>(DataType::Double, {1, -2})), {.atol = 0.0});
  ASSERT_TRUE(same.ok());
  EXPECT_TRUE((*same).passes());
}

TEST(Distance, OtherShapesAreRefusedWithBoth) {
  const auto result = distance(floats({1, 2}), *truth_of(floats({1, 2, 3})), {});
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(result.status().message, HasSubstr("output y is [2], what it is compared with is [3]"));
}

}  // namespace
}  // namespace belay::bisect
