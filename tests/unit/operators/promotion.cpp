// SPDX-License-Identifier: Apache-2.0
// The oracle is the table of torch.promote_types and torch.result_type, as its documentation gives it.
#include "operators/promotion.h"

#include <gtest/gtest.h>

namespace belay::operators {
namespace {

using enum graph::DataType;

TEST(Promotion, TheSmallestTypeHoldsBoth) {
  EXPECT_EQ(promote(UInt8, Int8), Int16);
  EXPECT_EQ(promote(Int32, UInt8), Int32);
  EXPECT_EQ(promote(Int64, Float16), Float16);
  EXPECT_EQ(promote(Float16, BFloat16), Float);
  EXPECT_EQ(promote(Float, Double), Double);
  EXPECT_EQ(promote(Bool, UInt8), UInt8);
  EXPECT_EQ(promote(Complex64, Double), Complex128);
  EXPECT_EQ(promote(String, Float), Undefined);
}

graph::DataType result(graph::DataType tensor, graph::DataType scalar, graph::DataType number) {
  ResultType type;
  if (tensor != Undefined) type.add_tensor(tensor, true);
  if (scalar != Undefined) type.add_tensor(scalar, false);
  if (number != Undefined) type.add_number(number);
  return type.get();
}

TEST(ResultType, ScalarsOnlyRaiseTheCategory) {
  EXPECT_EQ(result(Int8, Int64, Undefined), Int8);
  EXPECT_EQ(result(Int8, Double, Undefined), Double);
  EXPECT_EQ(result(Float16, Float, Undefined), Float16);
  EXPECT_EQ(result(Bool, Int32, Undefined), Int32);
}

TEST(ResultType, NumbersAreOfTheDefaultTypeOfTheirCategory) {
  EXPECT_EQ(result(Int32, Undefined, Double), Float);
  EXPECT_EQ(result(Int32, Undefined, Int64), Int32);
  EXPECT_EQ(result(Float16, Undefined, Double), Float16);
  EXPECT_EQ(result(Bool, Undefined, Int8), Int64);
  EXPECT_EQ(result(Undefined, Int32, Double), Float);
}

TEST(MayStore, NeverFromAHigherCategoryToALower) {
  EXPECT_TRUE(may_store(Float, Float16));
  EXPECT_TRUE(may_store(Int64, Int8));
  EXPECT_TRUE(may_store(Bool, Float));
  EXPECT_FALSE(may_store(Float, Int64));
  EXPECT_FALSE(may_store(Int8, Bool));
  EXPECT_FALSE(may_store(Complex64, Float));
}

TEST(LimitedTo, IsTheNearestOfTheIntegers) {
  EXPECT_EQ(limited_to(Int32, int64_t{1} << 40), INT32_MAX);
  EXPECT_EQ(limited_to(Int8, -129), -128);
  EXPECT_EQ(limited_to(UInt8, -1), 0);
  EXPECT_EQ(limited_to(UInt32, int64_t{1} << 32), UINT32_MAX);
  EXPECT_EQ(limited_to(Int64, INT64_MIN), INT64_MIN);
  EXPECT_EQ(limited_to(Int16, 77), 77);
}

}  // namespace
}  // namespace belay::operators
