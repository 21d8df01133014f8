// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "support/op_call.h"

namespace belay::test {
namespace {

using Numbers = std::vector<double>;

std::vector<Value> outputs(const OpCall& call) {
  auto result = run(call);
  if (result.ok()) return std::move(result).value();
  ADD_FAILURE() << call.op << ": " << result.status().message;
  return std::vector<Value>(6);
}

TEST(BatchNorm, UsesTheGivenStatistics) {
  // (x - mean) / sqrt(variance) * scale + offset, by hand: variance + epsilon is 4 and 1.
  const Value x = tensor<float>({1, 2, 1, 2}, {1, 3, 5, 6});
  const auto given = outputs({"BatchNorm",
                              {x, tensor<float>({2}, {2, 1}), tensor<float>({2}, {0, 10}), tensor<float>({2}, {1, 5}),
                               tensor<float>({2}, {3.5, 0.5})},
                              {{"epsilon", 0.5f}, {"data_format", "NCHW"}, {"is_training", false}}});
  expect_near(given[0].numbers(), {0, 2, 10, 11}, 1e-6);
  EXPECT_EQ(given[1].numbers(), (Numbers{1, 5}));
}

TEST(BatchNorm, ChannelsLastIsTheSame) {
  const Value x = tensor<float>({1, 1, 2, 2}, {1, 5, 3, 6});
  expect_near(outputs({"BNInferenceD",
                       {x, tensor<float>({2}, {1, 5}), tensor<float>({2}, {3.5, 0.5})},
                       {{"epsilon", 0.5f}, {"data_format", "NHWC"}}})[0]
                  .numbers(),
              {0, 0, 1, 1}, 1e-6);
}

TEST(LayerNorm, NormalisesTheLastDimensions) {
  const Value x = tensor<float>({2, 2}, {1, 3, 10, 30});
  const Value gamma = tensor<float>({2}, {1, 2}), beta = tensor<float>({2}, {0, 100});
  const auto first = outputs({"LayerNorm", {x, gamma, beta}, {{"begin_norm_axis", 1}, {"epsilon", 0.0f}}});
  expect_near(first[0].numbers(), {-1, 102, -1, 102}, 1e-6);
  expect_near(first[1].numbers(), {2, 20}, 1e-6);
  expect_near(first[2].numbers(), {1, 100}, 1e-6);
  EXPECT_EQ(first[1].shape, (Shape{2, 1}));
  const auto third = outputs({"LayerNormV3", {x, gamma, beta}, {{"begin_norm_axis", -1}, {"epsilon", 0.0f}}});
  expect_near(third[2].numbers(), {1, 0.1}, 1e-6);
  const auto fourth = outputs({"LayerNormV4", {x, tensor<int32_t>({1}, {2}), absent(), absent()}, {{"epsilon", 0.0f}}});
  expect_near(fourth[0].numbers(), {-1, 1, -1, 1}, 1e-6);
}

TEST(InstanceNorm, NormalisesEachPlane) {
  const Value x = tensor<float>({1, 2, 2}, {1, 3, 10, 30});
  const auto result = outputs({"InstanceNorm",
                               {x, tensor<float>({2}, {1, 2}), tensor<float>({2}, {0, 5})},
                               {{"data_format", "NCHW"}, {"epsilon", 0.0f}}});
  expect_near(result[0].numbers(), {-1, 1, 3, 7}, 1e-6);
}

TEST(GroupNorm, NormalisesGroupsOfChannels) {
  const Value x = tensor<float>({1, 4, 1, 1}, {1, 3, 10, 30});
  const Value gamma = tensor<float>({4}, {1, 1, 2, 2}), beta = tensor<float>({4}, {0, 0, 0, 1});
  const auto result = outputs({"GroupNorm", {x, gamma, beta}, {{"num_groups", 2}, {"eps", 0.0f}}});
  expect_near(result[0].numbers(), {-1, 1, -2, 3}, 1e-6);
}

TEST(RmsNorm, DividesByTheRootOfTheMeanSquare) {
  const Value x = tensor<float>({1, 2}, {3, 4});
  const double root = std::sqrt(12.5);
  const auto result = outputs({"RmsNorm", {x, tensor<float>({2}, {1, 10})}, {{"epsilon", 0.0f}}});
  expect_near(result[0].numbers(), {3 / root, 40 / root}, 1e-6);
  expect_near(result[1].numbers(), {1 / root}, 1e-6);
  const auto added = outputs({"AddRmsNorm", {x, x, tensor<float>({2}, {1, 1})}, {{"epsilon", 0.0f}}});
  EXPECT_EQ(added[2].numbers(), (Numbers{6, 8}));
  expect_near(added[0].numbers(), {3 / root, 4 / root}, 1e-6);
}

// 1 + 2^-12 is no half and 1 + 2^-9 no number of BFloat16: the norm is that of 1, which is what they keep.
TEST(RmsNorm, NormsTheSumAsItsTypeHoldsIt) {
  for (const auto& [type, less] : {std::pair{DataType::Float16, 0x1p-12}, {DataType::BFloat16, 0x1p-9}})
    for (const char* how : {"", "reference"}) {
      OpCall call{"AddRmsNorm",
                  {tensor<double>({1, 2}, {1, 4}), tensor<double>({1, 2}, {less, 0}), tensor<double>({2}, {3, 1})},
                  {{"epsilon", 0.0f}}};
      for (Value& input : call.inputs) input = tensor(type, input.shape, input.numbers());
      call.how = how;
      const auto result = outputs(call);
      const double root = std::sqrt(8.5);
      EXPECT_EQ(result[2].numbers(), (Numbers{1, 4}));
      expect_near(result[1].numbers(), {1 / root}, 1e-7);
      // 1 / root as the type holds it, times 3, as the type holds it.
      const Value first = tensor(type, {2}, Numbers{1 / root, 4 / root});
      const Numbers y = {first.numbers()[0] * 3, first.numbers()[1]};
      EXPECT_EQ(result[0].numbers(), tensor(type, {2}, y).numbers());
    }
}

TEST(Lrn, DividesByNeighbouringChannels) {
  const Value x = tensor<float>({1, 3, 1, 1}, {1, 2, 3});
  const auto result = outputs(
      {"LRN", {x}, {{"depth_radius", 1}, {"bias", 1.0f}, {"alpha", 1.0f}, {"beta", 1.0f}, {"data_format", "NCHW"}}});
  expect_near(result[0].numbers(), {1 / 6.0, 2 / 15.0, 3 / 14.0}, 1e-6);
}

TEST(GlobalPool, SeesTheWholePlane) {
  const Value x = tensor<float>({1, 2, 1, 2}, {1, 3, -3, -4});
  EXPECT_EQ(numbers({"GlobalAveragePool", {x}}), (Numbers{2, -3.5}));
  EXPECT_EQ(numbers({"GlobalMaxPool", {x}}), (Numbers{3, -3}));
  expect_near(numbers({"GlobalLpPool", {x}, {{"p", 2.0f}}}), {std::sqrt(10.0), 5}, 1e-6);
}

}  // namespace
}  // namespace belay::test
