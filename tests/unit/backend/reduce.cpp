// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "support/op_call.h"

namespace belay::test {
namespace {

using Numbers = std::vector<double>;
using Ints = std::vector<int64_t>;

const Value cube = tensor<float>({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});

Value axes(std::vector<double> values) { return tensor<int32_t>({static_cast<int64_t>(values.size())}, values); }

TEST(Reduce, CombinesAlongAxes) {
  EXPECT_EQ(numbers({"ReduceSum", {cube, axes({0, -1})}}), (Numbers{14, 22}));
  EXPECT_EQ(numbers({"ReduceMean", {cube, axes({1})}}), (Numbers{2, 3, 6, 7}));
  EXPECT_EQ(numbers({"ReduceMax", {cube, axes({0})}}), (Numbers{5, 6, 7, 8}));
  EXPECT_EQ(numbers({"ReduceMin", {cube, axes({2})}}), (Numbers{1, 3, 5, 7}));
  EXPECT_EQ(numbers({"ReduceProd", {cube, axes({0, 1, 2})}}), Numbers{40320});
  EXPECT_EQ(numbers({"ReduceSumD", {cube}, {{"axes", Ints{1, 2}}}}), (Numbers{10, 26}));
}

TEST(Reduce, KeepsDimensionsWhenAsked) {
  const auto result = run({"ReduceSumD", {cube}, {{"axes", Ints{1}}, {"keep_dims", true}}});
  ASSERT_TRUE(result.ok()) << result.status().message;
  EXPECT_EQ((*result)[0].shape, (Shape{2, 1, 2}));
}

TEST(Reduce, IntegersWrapAndFloatsKeepPrecision) {
  EXPECT_EQ(numbers({"ReduceSum", {tensor<int8_t>({2}, {100, 100}), axes({0})}}), Numbers{-56});
  // In binary16 steps the sum would stop at 2048.
  EXPECT_EQ(numbers({"ReduceSum", {tensor<Half>({4096}, Numbers(4096, 1)), axes({0})}}), Numbers{4096});
}

TEST(Reduce, NormsAndLogarithms) {
  const Value x = tensor<float>({2, 2}, {3, -4, 0, 1});
  EXPECT_EQ(numbers({"LpNormV2", {x}, {{"p", 2.0f}, {"axes", Ints{1}}}}), (Numbers{5, 1}));
  EXPECT_EQ(numbers({"LpNormV2", {x}, {{"p", 1.0f}, {"axes", Ints{0}}}}), (Numbers{3, 5}));
  EXPECT_EQ(numbers({"SquareSumV1", {x}, {{"axis", Ints{1}}}}), (Numbers{25, 1}));
  expect_near(numbers({"ReduceLogSumExp", {tensor<float>({2}, {1000, 1000}), axes({0})}}), {1000 + std::log(2.0)},
              1e-6);
}

TEST(Reduce, TruthOfAllAndAny) {
  const Value x = tensor<Bool>({2, 2}, {1, 1, 1, 0});
  EXPECT_EQ(numbers({"ReduceAll", {x, axes({1})}}), (Numbers{1, 0}));
  EXPECT_EQ(numbers({"ReduceAny", {x, axes({0})}}), (Numbers{1, 1}));
}

TEST(Arg, FindsTheFirstOfEquals) {
  const Value x = tensor<float>({2, 3}, {1, 5, 5, 7, 0, 0});
  EXPECT_EQ(numbers({"ArgMaxV2", {x, axes({1})}}), (Numbers{1, 0}));
  EXPECT_EQ(numbers({"ArgMin", {x, axes({1})}}), (Numbers{0, 1}));
  EXPECT_EQ(numbers({"ArgMaxV2", {x, axes({0})}}), (Numbers{1, 0, 0}));
}

TEST(Cumsum, RunsForwardsBackwardsAndExclusive) {
  const Value x = tensor<int32_t>({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(numbers({"Cumsum", {x, axes({1})}}), (Numbers{1, 3, 6, 4, 9, 15}));
  EXPECT_EQ(numbers({"Cumsum", {x, axes({0})}}), (Numbers{1, 2, 3, 5, 7, 9}));
  EXPECT_EQ(numbers({"Cumsum", {x, axes({1})}, {{"exclusive", true}, {"reverse", true}}}),
            (Numbers{5, 3, 0, 11, 6, 0}));
}

}  // namespace
}  // namespace belay::test
