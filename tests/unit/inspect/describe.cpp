// SPDX-License-Identifier: Apache-2.0
#include "inspect/describe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "dump/format/record.h"
#include "support/temporary_directory.h"

namespace belay::inspect {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

constexpr const char* kColumns = "Input/Output,Index,Data Size,Data Type,Format,Shape,Count,Max Value\n";
constexpr const char* kDumpName = "Add.net_add.1.2.1700000000123456";

class Describe : public testing::Test {
 protected:
  // What is said of a file with this name and content.
  Result<std::vector<TensorLine>> described(const std::string& name, const std::string& content, size_t values = 4) {
    auto dumps = find_dumps({directory_.write(name, content)});
    if (!dumps.ok()) return dumps.status();
    return describe((*dumps).files[0], values);
  }
  std::vector<TensorLine> lines(const std::string& name, const std::string& content, size_t values = 4) {
    auto found = described(name, content, values);
    EXPECT_TRUE(found.ok()) << found.status().message;
    return found.ok() ? std::move(found).value() : std::vector<TensorLine>();
  }
  std::string shape_of(const std::string& field) {
    return lines("Add.a.1.2.1700000000123456.csv", kColumns + ("Input,0,8,DT_FLOAT,ND," + field + ",2,4\n"))[0].shape;
  }
  // A file with one output of float32.
  static std::string floats(const std::string& op_name, const std::vector<float>& values) {
    dump::TensorEntry output{
        .data_type = 1, .format = 2, .shape = dump::Dims{values.size()}, .size = values.size() * 4};
    auto head = dump::encode({.outputs = {output}, .op_name = op_name});
    return std::move(head).value() + std::string(reinterpret_cast<const char*>(values.data()), values.size() * 4);
  }

  const test::TemporaryDirectory directory_;
};

TEST_F(Describe, ShapesOfStatisticsAreThoseOfTensorsAndWhatIsNoneStaysAsItIs) {
  EXPECT_EQ(shape_of("1x3x224x224"), "[1,3,224,224]");
  EXPECT_EQ(shape_of("7"), "[7]");
  EXPECT_EQ(shape_of("-"), "[]");   // a scalar
  EXPECT_EQ(shape_of("NA"), "NA");  // more dimensions than the writer could name
  EXPECT_EQ(shape_of("what"), "what");
}

TEST_F(Describe, RowsOfStatisticsHaveTheWordsOfTensors) {
  const auto found = lines("Conv2D.c.0.2.1767323046000100.csv",
                           "Input/Output,Index,Data Size,Data Type,Format,Shape,Count,Max Value,l2norm\n"
                           "Output,0,16,DT_FLOAT,NCHW,1x1x2x2,4,8,10.9545\n"
                           "Input,1,4,UNKNOW,ND,NA,NA,NA,NA\n");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].op_type + " " + found[0].op_name + " " + found[0].label, "Conv2D c output 0");
  EXPECT_EQ(found[0].type + found[0].format, "FLOATNCHW");
  EXPECT_EQ(found[0].bytes, 16u);
  EXPECT_THAT(found[0].statistics, ElementsAre(Pair("count", "4"), Pair("max", "8"), Pair("l2norm", "10.9545")));
  EXPECT_EQ(found[1].label + " " + found[1].type, "input 1 UNKNOW");
  EXPECT_THAT(found[1].statistics, ElementsAre(Pair("count", "NA"), Pair("max", "NA"), Pair("l2norm", "NA")));
}

TEST_F(Describe, TensorsAreMeasured) {
  const auto found = lines(kDumpName, floats("net/add", {3, -4, INFINITY}), 2);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].op_type + " " + found[0].op_name + " " + found[0].label, "Add net/add output 0");
  EXPECT_EQ(found[0].shape + found[0].type, "[3]FLOAT");
  EXPECT_THAT(found[0].statistics,
              ElementsAre(Pair("max", "inf"), Pair("min", "-4"), Pair("mean", "inf"), Pair("l2norm", "inf"),
                          Pair("nan", "0"), Pair("-inf", "0"), Pair("+inf", "1")));
  EXPECT_EQ(found[0].first, "3 -4");
}

TEST_F(Describe, ANameMayBeAnyBytes) {
  EXPECT_EQ(lines(kDumpName, floats("net\xff\xc3", {1}))[0].op_name, "net\xff\xc3");
}

TEST_F(Describe, WhatIsBrokenIsNamedWithItsFile) {
  const std::string whole = floats("a", {1, 2});
  const std::vector<std::pair<std::string, const char*>> broken = {
      {whole.substr(0, whole.size() - 1), "only 7 are left"}, {"", "it has 0 bytes"}, {"Input/Output", "would have"}};
  for (const auto& [content, says] : broken) {
    const auto found = described(kDumpName, content);
    ASSERT_FALSE(found.ok());
    EXPECT_EQ(found.status().code, ACL_ERROR_PARSE_FILE);
    EXPECT_THAT(found.status().message, HasSubstr(kDumpName));
    EXPECT_THAT(found.status().message, HasSubstr(says));
  }
  const auto short_row = described("Add.a.1.2.1700000000123456.csv", kColumns + std::string("Input,0,8\n"));
  ASSERT_FALSE(short_row.ok());
  EXPECT_THAT(short_row.status().message, HasSubstr("a row has 3 fields where the header has 8"));
}

}  // namespace
}  // namespace belay::inspect
