// SPDX-License-Identifier: Apache-2.0
// The oracle is arithmetic by hand.
#include "compare/limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "compare/rules.h"
#include "support/temporary_directory.h"

namespace belay::compare {
namespace {

using graph::DataType;
using testing::HasSubstr;

constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(Limits, TheCoarserTypeDecides) {
  EXPECT_EQ(*usual_limits(DataType::Float, DataType::Float).euclidean, 1e-4);
  EXPECT_EQ(*usual_limits(DataType::Float16, DataType::Float).euclidean, 1e-2);
  EXPECT_EQ(*usual_limits(DataType::Float, DataType::BFloat16).euclidean, 5e-2);
  EXPECT_EQ(*usual_limits(DataType::Int32, DataType::Int32).atol, 0);
  EXPECT_EQ(*usual_limits(DataType::Int8, DataType::Int8).atol, 1);
  EXPECT_EQ(*usual_limits(DataType::Bool, DataType::Bool).atol, 0);
}

// A float stores a whole number as it is, or rounded to nearest: half a unit in its last place.
TEST(Limits, AWholeNumberBesideAFloatIsEqualButForTheFloatsRounding) {
  for (const auto [ours, truth] : {std::pair(DataType::Bool, DataType::Float),
                                   {DataType::Float16, DataType::Int8},
                                   {DataType::Int64, DataType::Float},
                                   {DataType::Double, DataType::UInt8}}) {
    const Limits limits = usual_limits(ours, truth);
    EXPECT_EQ(limits.atol, 0);
    EXPECT_EQ(limits.rtol, 0);
    EXPECT_EQ(limits.ulp, 0.5);
    EXPECT_FALSE(limits.euclidean || limits.peak);
  }
}

// Two tensors of 10 elements that differ in one.
Measures one_of_ten() {
  Measures measured{.count = 10, .max_ulp = 100, .least_rtol = 0.1, .least_atol = 0.5, .different = 1, .outside = 1};
  measured.finite_cosine = 0.98;
  measured.finite_euclidean = 0.02;
  measured.finite_largest = 5;
  return measured;
}

TEST(Limits, SayWhatIsBeyondThem) {
  EXPECT_EQ(difference(one_of_ten(), {.rtol = 1e-3}), "1 of 10 elements are beyond atol 0 + rtol 0.001 * |truth|");
  EXPECT_EQ(difference(one_of_ten(), {.cosine = 0.99}), "the cosine 0.980000 is below 0.99");
  EXPECT_EQ(difference(one_of_ten(), {.euclidean = 0.01}), "the relative Euclidean distance 0.02 is above 0.01");
  EXPECT_EQ(difference(one_of_ten(), {.peak = 0.05}), "an element is off by 0.5, more than 0.05 of the largest, 5");
  EXPECT_EQ(difference(one_of_ten(), {.cosine = 0.97, .euclidean = 0.03, .peak = 0.1}), "");
  EXPECT_EQ(difference(one_of_ten(), {.euclidean = 0.01, .ulp = 100.0}), "");
}

TEST(Limits, EqualTensorsAgreeAndAnInfinityOnOneSideNeverDoes) {
  Measures equal{.count = 3};
  equal.finite_cosine = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(difference(equal, {.cosine = 1.0}), "");
  Measures one_sided = one_of_ten();
  one_sided.least_atol = one_sided.max_ulp = kInf;
  one_sided.ours.plus_inf = 1;
  EXPECT_THAT(difference(one_sided, {.cosine = 0.0}), HasSubstr("finite on one side only"));
  Measures far_apart = one_sided;
  far_apart.ours.plus_inf = 0;
  EXPECT_THAT(difference(far_apart, {.peak = 0.1}), HasSubstr("off by inf"));
}

TEST(Limits, ACosineThatIsNotDefinedIsBelowEveryLimit) {
  Measures measured = one_of_ten();
  measured.finite_cosine = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(difference(measured, {.cosine = 0.1}), "");
}

Limits limits_for(const Rules& rules, const std::string& op, const std::string& type, DataType data) {
  const SideTensor ours{.op = op, .op_type = type}, truth{.op = "other"};
  return rules.limits_for(ours, data, truth, data);
}

TEST(Rules, TheFirstThatMatchesCounts) {
  const auto parsed = parse_rules(R"({"rules": [
      {"op": "*/softmax*", "ignore": true},
      {"type": "MatMul*", "dtype": "float16", "rtol": 0.01, "atol": 0.001},
      {"type": "MatMul*", "cosine": 0.9},
      {"dtype": "DT_FLOAT", "euclidean": 0.5, "peak": 0.25},
      {"op": "other", "rtol": 7}]})");
  ASSERT_TRUE(parsed.ok()) << parsed.status().message;
  const Rules rules{.rules = *parsed};
  EXPECT_TRUE(limits_for(rules, "block1/softmax_3", "MatMulV2", DataType::Float16).ignore);
  const Limits half = limits_for(rules, "a", "MatMulV2", DataType::Float16);
  EXPECT_EQ(half.rtol, 0.01);
  EXPECT_EQ(half.atol, 0.001);
  EXPECT_FALSE(half.cosine || half.euclidean || half.peak || half.ulp);
  EXPECT_EQ(limits_for(rules, "a", "MatMulV2", DataType::Float).cosine, 0.9);
  EXPECT_EQ(limits_for(rules, "a", "Add", DataType::Float).euclidean, 0.5);
  EXPECT_EQ(limits_for(rules, "a", "Add", DataType::Int8).rtol, 7);  // the other side's name counts too
}

TEST(Rules, WhatNoneMatchesHasTheCommandLinesOrTheUsualLimits) {
  EXPECT_EQ(limits_for({}, "a", "Add", DataType::Float16).euclidean, 1e-2);
  const Limits given = limits_for({.otherwise = {.atol = 0.5}}, "a", "Add", DataType::Float16);
  EXPECT_EQ(given.atol, 0.5);
  EXPECT_FALSE(given.euclidean);
}

TEST(Rules, MistakesAreNamed) {
  const auto problem = [](const char* text) { return parse_rules(text).status().message; };
  EXPECT_THAT(problem("[{\"rtol\": 1}, {\"rtoll\": 1}]"),
              HasSubstr("rule 2: there is no key \"rtoll\"; did you mean \"rtol\"?"));
  EXPECT_THAT(problem("[{\"op\": \"a\"}]"), HasSubstr("rule 1: it has no limit"));
  EXPECT_THAT(problem("[{\"rtol\": \"1\"}]"), HasSubstr("\"rtol\" is no number from 0 up"));
  EXPECT_THAT(problem("[{\"rtol\": -1}]"), HasSubstr("\"rtol\" is no number from 0 up"));
  EXPECT_THAT(problem("[{\"cosine\": 2}]"), HasSubstr("\"cosine\" is no number from -1 to 1"));
  EXPECT_THAT(problem("[{\"cosine\": -1.5}]"), HasSubstr("\"cosine\" is no number from -1 to 1"));
  EXPECT_THAT(problem("[{\"op\": 1, \"rtol\": 1}]"), HasSubstr("\"op\" is no text"));
  EXPECT_THAT(problem("[3]"), HasSubstr("rule 1: it is no object"));
  EXPECT_THAT(problem("[{\"op\": \"\", \"rtol\": 1}]"), HasSubstr("\"op\" is empty"));
  EXPECT_THAT(problem("[]"), HasSubstr("no rule in it"));
  EXPECT_THAT(problem("{\"rules\": []}"), HasSubstr("no rule in it"));
  EXPECT_THAT(problem("{\"rules\": [{\"rtol\": 1}], \"rule\": []}"), HasSubstr("no key \"rule\" beside"));
  EXPECT_THAT(problem("[{\"atol\": 0, \"atol\": 1}]"), HasSubstr("\"atol\" is there twice"));
  EXPECT_THAT(problem("{\"rules\": [{\"atol\": 1}], \"rules\": []}"), HasSubstr("\"rules\" is there twice"));
  EXPECT_TRUE(parse_rules("[{\"atol\": 0, \"rtol\": 1}, {\"atol\": 1}]").ok());
  for (const char* text : {"", "{", "{\"rules\": 3}", "3", "[[[[[[[[[[]]]]]]]]]]"})
    EXPECT_THAT(problem(text), HasSubstr("no rules file")) << text;
}

TEST(Rules, AFileIsReadAndNamedInWhatIsWrong) {
  const test::TemporaryDirectory directory;
  EXPECT_EQ((*read_rules(directory.write("good.json", "[{\"cosine\": 0.5}]"))).size(), 1u);
  EXPECT_THAT(read_rules(directory.write("bad.json", "[{}]")).status().message, HasSubstr("bad.json: rule 1"));
  EXPECT_EQ(read_rules("none.json").status().code, ACL_ERROR_INVALID_FILE);
}

}  // namespace
}  // namespace belay::compare
