// SPDX-License-Identifier: Apache-2.0
// Normalisation by given statistics in the layout that x has, against a loop in double precision.
#include <random>

#include "support/layout_call.h"

namespace belay::test {
namespace {

using Numbers = std::vector<double>;

struct Case {
  Value x;
  std::vector<Value> parameters;  // scale, offset, mean, variance
};

Case random_case(const Shape& shape, size_t channel) {
  std::mt19937 random(7);
  const auto values = [&](const Shape& of, double least, double most) {
    std::uniform_real_distribution<float> some(static_cast<float>(least), static_cast<float>(most));
    Numbers all(static_cast<size_t>(graph::element_count(of)));
    for (double& value : all) value = static_cast<double>(some(random));
    return tensor<float>(of, all);
  };
  const Shape list = {shape[channel]};
  return {values(shape, -3, 3), {values(list, -2, 2), values(list, -1, 1), values(list, -1, 1), values(list, 0.1, 2)}};
}

Numbers wanted(const Case& given, size_t channel, double epsilon) {
  const Numbers scale = given.parameters[0].numbers(), offset = given.parameters[1].numbers();
  const Numbers mean = given.parameters[2].numbers(), variance = given.parameters[3].numbers();
  Numbers all = given.x.numbers();
  size_t inner = 1;
  for (size_t d = channel + 1; d < given.x.shape.size(); ++d) inner *= static_cast<size_t>(given.x.shape[d]);
  for (size_t i = 0; i < all.size(); ++i) {
    const size_t c = i / inner % mean.size();
    all[i] = (all[i] - mean[c]) / std::sqrt(variance[c] + epsilon) * scale[c] + offset[c];
  }
  return all;
}

std::vector<Value> inputs_of(const Case& given) {
  std::vector<Value> inputs = {given.x};
  inputs.insert(inputs.end(), given.parameters.begin(), given.parameters.end());
  return inputs;
}

TEST(BatchNorm, NormalisesInTheLayoutThatComes) {
  const Attributes attributes = {{"epsilon", 1e-3f}, {"data_format", "NCHW"}, {"is_training", false}};
  for (const int64_t channels : {1, 3, 5, 17, 33, 64})
    for (const int64_t batch : {1, 3})
      for (const Layout layout : {Layout::Plain, Layout::ChannelsLast})
        for (const bool constant : {false, true})
          for (const int threads : {1, 2}) {
            SCOPED_TRACE(testing::Message() << batch << " x " << channels << " layout " << int(layout));
            const Case given = random_case({batch, channels, 31, 29}, 1);
            const Numbers got =
                numbers_in_layout({"BatchNorm", inputs_of(given), attributes, "simd", {layout}, threads, constant});
            expect_near(got, wanted(given, 1, double(1e-3f)), 2e-6);
          }
}

TEST(BatchNorm, NormalisesTheLastDimensionOfOtherFormats) {
  const Case given = random_case({2, 3, 5, 19}, 3);
  const Numbers want = wanted(given, 3, double(1e-3f));
  const Attributes last = {{"epsilon", 1e-3f}, {"data_format", "NHWC"}, {"is_training", false}};
  expect_near(numbers({"BatchNorm", inputs_of(given), last, "simd"}), want, 2e-6);
  // Its dimension 1 is not the channels, whatever the layout.
  expect_near(numbers_in_layout({"BatchNorm", inputs_of(given), last, "simd", {Layout::ChannelsLast}}), want, 2e-6);
}

TEST(BatchNorm, TakesTheFormsWithoutTraining) {
  const Case given = random_case({2, 5, 3, 7}, 1);
  const Numbers want = wanted(given, 1, double(1e-3f));
  const std::vector<Value>& p = given.parameters;
  expect_near(numbers({"BNInfer", inputs_of(given), {{"epsilon", 1e-3f}}, "simd"}), want, 2e-6);
  expect_near(numbers({"BNInferenceD", {given.x, p[2], p[3], p[0], p[1]}, {{"epsilon", 1e-3f}}, "simd"}), want, 2e-6);
}

TEST(BatchNorm, ChannelsLastStaysChannelsLast) {
  graph::Node node{
      .name = "node", .type = "BatchNorm", .attributes = {{"data_format", "NCHW"}, {"is_training", false}}};
  std::vector<graph::TensorInfo> inputs(5, {DataType::Float, {5}}), outputs = {{DataType::Float, {1, 5, 4, 4}}};
  inputs[0].shape = {1, 5, 4, 4};
  std::vector<Layout> layouts(5, Layout::Plain);
  layouts[0] = Layout::ChannelsLast;
  auto made = backend::make_kernel({node, inputs, outputs, layouts});
  ASSERT_TRUE(made.ok()) << made.status().message;
  const auto kernel = std::move(made).value();
  EXPECT_EQ(kernel->wants(0), Layout::ChannelsLast);
  EXPECT_EQ(kernel->gives(0), Layout::ChannelsLast);
}

// An infinity becomes what the reference makes of it, and does not touch its neighbours.
TEST(BatchNorm, SpecialValuesAreThoseOfTheReference) {
  const float inf = std::numeric_limits<float>::infinity();
  Case given = random_case({1, 3, 2, 2}, 1);
  given.x = tensor<float>({1, 3, 2, 2}, {inf, -inf, std::nan(""), 1, inf, 2, 3, 4, 0, -0.0, 1, inf});
  given.parameters[0] = tensor<float>({3}, {2, -2, 0});
  given.parameters[2] = tensor<float>({3}, {1, double(inf), 0});
  const Attributes attributes = {{"epsilon", 1e-3f}, {"data_format", "NCHW"}, {"is_training", false}};
  const Numbers want = numbers({"BatchNorm", inputs_of(given), attributes});
  for (const Layout layout : {Layout::Plain, Layout::ChannelsLast})
    expect_near(numbers_in_layout({"BatchNorm", inputs_of(given), attributes, "simd", {layout}}), want, 2e-6);
}

}  // namespace
}  // namespace belay::test
