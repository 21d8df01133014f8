// SPDX-License-Identifier: Apache-2.0
// The text of statistics files. The oracle is the documentation's examples.
#include "dump/format/csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "dump/config/config.h"

namespace belay::dump {
namespace {

using graph::DataType;

template <class T>
StatisticsRow row_of(DataType type, const std::vector<T>& elements, graph::Shape shape) {
  return {.bytes = elements.size() * sizeof(T),
          .type = type,
          .shape = std::move(shape),
          .values = measure(type, elements.data(), elements.size(), true)};
}

const std::vector<float> conv = {2, 4, 6, 8};

TEST(StatisticsCsv, UsualSelectionHasCountBehindAvg) {
  EXPECT_EQ(csv_header(kUsualStatistics),
            "Input/Output,Index,Data Size,Data Type,Format,Shape,Max Value,Min Value,Avg Value,Count,Nan Count,"
            "Negative Inf Count,Positive Inf Count\n");
  EXPECT_EQ(csv_row(row_of(DataType::Float, conv, {1, 1, 2, 2}), kUsualStatistics),
            "Output,0,16,DT_FLOAT,NCHW,1x1x2x2,8,2,5,4,0,0,0\n");
}

TEST(StatisticsCsv, OtherSelectionsHaveCountFirstAndTheOrderOfTheBits) {
  EXPECT_EQ(csv_header(kMax | kL2Norm), "Input/Output,Index,Data Size,Data Type,Format,Shape,Count,Max Value,l2norm\n");
  EXPECT_EQ(csv_row(row_of(DataType::Float, conv, {1, 1, 2, 2}), kMax | kL2Norm),
            "Output,0,16,DT_FLOAT,NCHW,1x1x2x2,4,8,10.9545\n");
  EXPECT_EQ(csv_header(127),
            "Input/Output,Index,Data Size,Data Type,Format,Shape,Count,Max Value,Min Value,Avg Value,Nan Count,"
            "Negative Inf Count,Positive Inf Count,l2norm\n");
  EXPECT_EQ(csv_header(kNan), "Input/Output,Index,Data Size,Data Type,Format,Shape,Count,Nan Count\n");
}

TEST(StatisticsCsv, NumbersAreWrittenAsStreamsWriteThem) {
  const auto text = [](DataType type, const auto& elements) {
    return csv_row(row_of(type, elements, {static_cast<int64_t>(elements.size())}), kMax | kMin | kAvg);
  };
  const float inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(text(DataType::Float, std::vector<float>{1e6f, 123456.7f}),
            "Output,0,8,DT_FLOAT,NCHW,2,2,1e+06,123457,561728\n");
  EXPECT_EQ(text(DataType::Float, std::vector<float>{inf, -inf}), "Output,0,8,DT_FLOAT,NCHW,2,2,inf,-inf,nan\n");
  EXPECT_EQ(text(DataType::Float, std::vector<float>{-std::nanf("")}), "Output,0,4,DT_FLOAT,NCHW,1,1,nan,nan,nan\n");
  EXPECT_EQ(text(DataType::Int8, std::vector<int8_t>{-65, 66}), "Output,0,2,DT_INT8,NCHW,2,2,66,-65,0.5\n");
  EXPECT_EQ(text(DataType::Int64, std::vector<int64_t>{INT64_MIN, INT64_MAX}),
            "Output,0,16,DT_INT64,NCHW,2,2,9223372036854775807,-9223372036854775808,0\n");
  EXPECT_EQ(text(DataType::UInt64, std::vector<uint64_t>{UINT64_MAX}),
            "Output,0,8,DT_UINT64,NCHW,1,1,18446744073709551615,18446744073709551615,1.84467e+19\n");
  EXPECT_EQ(text(DataType::Bool, std::vector<uint8_t>{1, 0}), "Output,0,2,DT_BOOL,NCHW,2,2,1,0,0.5\n");
  EXPECT_EQ(text(DataType::BFloat16, std::vector<uint16_t>{0x3f80}), "Output,0,2,DT_BF16,NCHW,1,1,1,1,1\n");
}

TEST(StatisticsCsv, WhatCannotBeToldIsNAAndCountStays) {
  StatisticsRow row{.input = true, .index = 3, .bytes = 5, .type = DataType::Int4, .format = 2, .shape = {2, 5}};
  EXPECT_EQ(csv_row(row, kMax | kNan), "Input,3,5,DT_INT4,ND,2x5,10,NA,NA\n");
  EXPECT_EQ(csv_row(row, kUsualStatistics), "Input,3,5,DT_INT4,ND,2x5,NA,NA,NA,10,NA,NA,NA\n");
  row = {.type = DataType::Float, .format = 99, .shape = {0, 5}};
  EXPECT_EQ(csv_row(row, kAvg), "Output,0,0,DT_FLOAT,UNKNOW,0x5,0,NA\n");
  EXPECT_EQ(csv_row(row_of(DataType::Float, std::vector<float>{3}, {}), kAvg), "Output,0,4,DT_FLOAT,NCHW,-,1,3\n");
}

}  // namespace
}  // namespace belay::dump
