// SPDX-License-Identifier: Apache-2.0
#include "graph/tensor/types.h"

#include <gtest/gtest.h>

#include "graph/tensor/sizes.h"

namespace belay::graph {
namespace {

TEST(Types, BothNumberingsOfADataTypeLeadToEachOther) {
  for (int number = 0; number <= 42; ++number) {
    if (number == 5) continue;  // the only hole
    const auto type = static_cast<DataType>(number);
    EXPECT_EQ(from_proto(to_proto(type)), type) << number;
    EXPECT_EQ(type_named(name_of(type)), type) << number;
  }
  EXPECT_EQ(to_proto(DataType::Float), 1);
  EXPECT_EQ(to_proto(DataType::Int64), 8);
  EXPECT_EQ(to_proto(DataType::Undefined), 0);
  EXPECT_EQ(to_proto(DataType::Int4), 28);
  EXPECT_EQ(name_of(DataType::BFloat16), "DT_BFLOAT16");
  EXPECT_EQ(from_proto(1000), DataType::Undefined);
}

TEST(Types, FormatsHaveTheGraphEnginesNumbers) {
  EXPECT_EQ(name_of(Format::FractalZ), "FRACTAL_Z");
  EXPECT_EQ(name_of(Format::NDC1HWC0), "NDC1HWC0");
  EXPECT_EQ(name_of(Format::NCL), "NCL");
  EXPECT_EQ(name_of(static_cast<Format>(15)), "DECONV_SP_STRIDE8_TRANS");
  EXPECT_EQ(name_of(static_cast<Format>(54)), "FRACTAL_NZ_C0_8");
  EXPECT_EQ(format_named("FRACTAL_NZ"), Format::FractalNZ);
  EXPECT_EQ(format_named("nothing"), Format::Reserved);
  EXPECT_EQ(name_of(static_cast<Format>(-7)), "RESERVED");
}

TEST(Types, SizesRoundUpToWholeBytes) {
  EXPECT_EQ(bytes_of(DataType::Float, 3), 12u);
  EXPECT_EQ(bytes_of(DataType::Int4, 3), 2u);
  EXPECT_EQ(bytes_of(DataType::UInt1, 9), 2u);
  EXPECT_EQ(bytes_of(DataType::String, 3), 0u);
  EXPECT_EQ(bytes_of(DataType::Float, -1), 0u);
}

TEST(Types, AnUnknownDimensionMakesTheCountUnknown) {
  EXPECT_EQ(element_count({}), 1);
  EXPECT_EQ(element_count({2, 0, 3}), 0);
  EXPECT_EQ(element_count({2, -1}), -1);
  EXPECT_EQ(element_count({-2}), -1);
  EXPECT_FALSE(rank_known({-2}));
  EXPECT_TRUE(rank_known({-1}));
  EXPECT_EQ(to_text({1, -1, 3}), "[1,-1,3]");
  EXPECT_EQ(to_text({}), "[]");
}

TEST(Sizes, NothingIsSmallHoweverLargeTheOtherDimensionsAre) {
  constexpr int64_t large = int64_t{1} << 40;
  EXPECT_EQ(element_count({large, large, 0}), 0);
  EXPECT_EQ(element_count({0, large, large}), 0);
  EXPECT_EQ(element_count({large, large}), INT64_MAX);
  EXPECT_EQ(element_count({large, -1, 0}), -1);
  EXPECT_EQ(too_large(DataType::Float, {large, large, 0}), "");
}

TEST(Sizes, WhatNoProcessCanAddressIsTooLarge) {
  EXPECT_EQ(too_large(DataType::Float, {int64_t{1} << 45}), "");
  EXPECT_EQ(too_large(DataType::Float, {-1, int64_t{1} << 62}), "");  // not known yet
  EXPECT_EQ(too_large(DataType::Float, {(int64_t{1} << 45) + 1}),
            "[35184372088833] of DT_FLOAT is larger than any memory");
  EXPECT_NE(too_large(DataType::Int8, {int64_t{1} << 31, int64_t{1} << 31}), "");
  EXPECT_NE(too_large(DataType::String, {int64_t{1} << 40, int64_t{1} << 40}), "");  // whatever an element has
}

}  // namespace
}  // namespace belay::graph
