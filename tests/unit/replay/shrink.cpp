// SPDX-License-Identifier: Apache-2.0
#include "replay/shrink.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "replay/judge.h"

namespace belay::replay {
namespace {

using graph::Constant;
using graph::DataType;
using testing::HasSubstr;

std::vector<float> floats(const Constant& value) {
  std::vector<float> made(value.bytes.size() / sizeof(float));
  if (!made.empty()) std::memcpy(made.data(), value.bytes.data(), value.bytes.size());
  return made;
}

Constant tensor(graph::Shape shape, const std::vector<float>& values) {
  return graph::make_constant(DataType::Float, std::move(shape), values);
}

exact::Value numbers(const std::vector<double>& values) {
  return exact::make_value({static_cast<int64_t>(values.size())}, values);
}

std::vector<float> counted(size_t count) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), 1.0f);
  return values;
}

// An operator with these inputs and one output.
Operator one(const std::string& type, std::vector<Constant> inputs, graph::Attributes attributes = {}) {
  Operator op{.node = {.name = "it", .type = type}};
  op.node.attributes = std::move(attributes);
  for (const Constant& input : inputs) {
    op.node.inputs.emplace_back();
    op.node.input_descs.push_back({.shape = input.shape});
    op.inputs.push_back({input});
  }
  op.node.outputs.push_back({.name = "y"});
  op.dumped.resize(1);
  return op;
}

// The sum of two tensors of one shape, and one more at every `bad` element of the first.
template <class Bad>
Runner sum_with_fault(Bad bad) {
  return [bad](const Operator& op) -> Result<std::vector<Constant>> {
    const auto a = floats(op.inputs[0].value), b = floats(op.inputs[1].value);
    std::vector<float> sums;
    for (size_t i = 0; i < a.size(); ++i) sums.push_back(a[i] + b[i % b.size()] + (bad(a[i]) ? 1.0f : 0.0f));
    return std::vector{tensor(op.inputs[0].value.shape, sums)};
  };
}

TEST(Shrink, OnlyTheElementThatIsNeededStays) {
  for (const float wanted : {1.0f, 37.0f, 60.0f}) {
    const Operator op = one("Add", {tensor({3, 4, 5}, counted(60)), tensor({3, 4, 5}, counted(60))});
    const auto shrunk = shrink(op, sum_with_fault([=](float x) { return x == wanted; }));
    ASSERT_TRUE(shrunk.ok()) << shrunk.status().message;
    const Operator& made = (*shrunk).op;
    EXPECT_EQ(floats(made.inputs[0].value), std::vector{wanted});
    EXPECT_EQ(floats(made.inputs[1].value), std::vector{0.0f});
    EXPECT_EQ(floats(made.dumped[0]), std::vector{wanted + 1});
    EXPECT_TRUE((*shrunk).finished);
  }
}

TEST(Shrink, ValuesLoseTheBitsThatAreNotNeeded) {
  const Operator op = one("Add", {tensor({1}, {5.678f}), tensor({1}, {1.234f})});
  const auto shrunk = shrink(op, sum_with_fault([](float x) { return x > 4.5f; }));
  ASSERT_TRUE(shrunk.ok()) << shrunk.status().message;
  EXPECT_EQ(floats((*shrunk).op.inputs[0].value), std::vector{6.0f});  // two bits; with one it is 4
}

// Extents that belong together, by hand: x is [2,8,6,6], the filter [4,8,3,3].
TEST(Shrink, TheChannelsOfAConvolutionStayEqual) {
  graph::Attributes attributes;
  attributes["strides"] = std::vector<int64_t>{1, 1, 1, 1};
  attributes["data_format"] = "NCHW";
  attributes["pads"] = std::vector<int64_t>{0, 0, 0, 0};
  const Operator op =
      one("Conv2D", {tensor({2, 8, 6, 6}, counted(576)), tensor({4, 8, 3, 3}, counted(288))}, attributes);
  const Runner run = [](const Operator& tried) -> Result<std::vector<Constant>> {
    const auto expected = recompute(tried);
    if (!expected.ok()) return expected.status();
    const exact::Value& right = (*expected)[0].value;
    std::vector<float> values(right.doubles().begin(), right.doubles().end());
    values[0] = -7;
    return std::vector{tensor(right.shape, values)};
  };
  const auto shrunk = shrink(op, run);
  ASSERT_TRUE(shrunk.ok()) << shrunk.status().message;
  const graph::Shape &x = (*shrunk).op.inputs[0].value.shape, &filter = (*shrunk).op.inputs[1].value.shape;
  EXPECT_EQ(x[0], 1);
  EXPECT_EQ(x[1], 1);
  EXPECT_EQ(filter[0], 1);
  EXPECT_EQ(filter[1], 1);
  EXPECT_EQ(graph::element_count(x), graph::element_count(filter));
}

TEST(Shrink, WhatIsRightIsRefused) {
  const Operator op = one("Add", {tensor({2}, {1, 2}), tensor({2}, {3, 4})});
  const auto shrunk = shrink(op, sum_with_fault([](float) { return false; }));
  EXPECT_THAT(shrunk.status().message, HasSubstr("nothing is wrong with what comes out here"));
}

TEST(Shrink, EndsWhenItsTriesAreUsedUp) {
  const Operator op = one("Add", {tensor({8, 8}, counted(64)), tensor({8, 8}, counted(64))});
  const auto shrunk = shrink(op, sum_with_fault([](float x) { return x == 9; }), {.tries = 3});
  ASSERT_TRUE(shrunk.ok());
  EXPECT_FALSE((*shrunk).finished);
  EXPECT_EQ((*shrunk).tries, 3u);
}

TEST(Judge, TheWorstElementIsTheOneFarthestFromWhatIsAllowed) {
  exact::Output expected{numbers({1, 2, 3, 4}), {0.5, 0.5, 0, 10}};
  const auto verdict = judge(tensor({4}, {1.25f, 3.0f, 3.0f, 9.0f}), expected);
  ASSERT_TRUE(verdict.ok());
  EXPECT_EQ((*verdict).wrong, 1);
  EXPECT_EQ((*verdict).worst, 1);
  EXPECT_EQ((*verdict).got, 3.0);
  EXPECT_EQ((*verdict).allowed, 0.5);
}

TEST(Judge, NotANumberIsWrongUnlessItIsExpected) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  exact::Output expected{numbers({1, nan, inf, -inf}), {1, 1, 1, 1}};
  EXPECT_EQ((*judge(tensor({4}, {1, nan, inf, -inf}), expected)).wrong, 0);
  EXPECT_EQ((*judge(tensor({4}, {nan, 1, -inf, 0}), expected)).wrong, 4);
}

TEST(Distance, CountsBitsAndNamesTheWorst) {
  const auto found = distance(tensor({2, 2}, {1, 2, -0.0f, 4}), tensor({2, 2}, {1, 5, 0.0f, 4}));
  ASSERT_TRUE(found.ok());
  EXPECT_EQ((*found).unequal, 2);  // the two zeros have other bits
  EXPECT_EQ((*found).worst, 1);
  EXPECT_FALSE(distance(tensor({2}, {1, 2}), tensor({3}, {1, 2, 3})).ok());
}

}  // namespace
}  // namespace belay::replay
