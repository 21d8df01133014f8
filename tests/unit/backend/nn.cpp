// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <numeric>

#include "support/op_call.h"

namespace belay::test {
namespace {

using Numbers = std::vector<double>;
using Ints = std::vector<int64_t>;

Numbers counted(int64_t count, double first = 0) {
  Numbers numbers(static_cast<size_t>(count));
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

Attributes convolution(Ints strides, Ints pads, int64_t groups = 1, const char* format = "NCHW") {
  return {{"strides", strides}, {"pads", pads}, {"groups", groups}, {"data_format", format}};
}

// The sums of a 3 x 3 filter of ones over 0...24 in a 5 x 5 image, by hand (the example of ONNX's Conv).
TEST(Conv2D, OnesSumTheirNeighbours) {
  const Value x = tensor<float>({1, 1, 5, 5}, counted(25)), ones = tensor<float>({1, 1, 3, 3}, Numbers(9, 1));
  EXPECT_EQ(numbers({"Conv2D", {x, ones}, convolution({1, 1, 1, 1}, {0, 0, 0, 0})}),
            (Numbers{54, 63, 72, 99, 108, 117, 144, 153, 162}));
  EXPECT_EQ(numbers({"Conv2D", {x, ones}, convolution({1, 1, 2, 2}, {1, 1, 1, 1})}),
            (Numbers{12, 27, 24, 63, 108, 81, 72, 117, 84}));
  EXPECT_EQ(numbers({"Conv2D", {x, ones, tensor<float>({1}, {1000})}, convolution({1, 1, 2, 2}, {0, 0, 0, 0})}),
            (Numbers{1054, 1072, 1144, 1162}));
}

TEST(Conv2D, PadsMayDifferOnEachSide) {
  const Value x = tensor<float>({1, 1, 2, 2}, {1, 2, 3, 4}), one = tensor<float>({1, 1, 1, 1}, {1});
  // top, bottom, left, right
  const auto result = run({"Conv2D", {x, one}, convolution({1, 1, 1, 1}, {1, 0, 0, 2})});
  ASSERT_TRUE(result.ok());
  EXPECT_EQ((*result)[0].shape, (Shape{1, 1, 3, 4}));
  EXPECT_EQ((*result)[0].numbers(), (Numbers{0, 0, 0, 0, 1, 2, 0, 0, 3, 4, 0, 0}));
}

TEST(Conv2D, GroupsSeeTheirOwnChannels) {
  const Value x = tensor<float>({1, 2, 1, 2}, {1, 2, 10, 20}), filter = tensor<float>({2, 1, 1, 1}, {3, 5});
  EXPECT_EQ(numbers({"Conv2D", {x, filter}, convolution({1, 1, 1, 1}, {0, 0, 0, 0}, 2)}), (Numbers{3, 6, 50, 100}));
}

TEST(Conv2D, DilationSpreadsTheFilter) {
  Attributes attributes = convolution({1, 1, 1, 1}, {0, 0, 0, 0});
  attributes["dilations"] = Ints{1, 1, 2, 2};
  const Value x = tensor<float>({1, 1, 5, 5}, counted(25)), ones = tensor<float>({1, 1, 3, 3}, Numbers(9, 1));
  EXPECT_EQ(numbers({"Conv2D", {x, ones}, attributes}), Numbers{108});
}

TEST(Conv2D, ChannelsLastWithItsFilterOrderIsTheSame) {
  // x: 1 x 1 x 2 places of 2 channels; filter HWCN: 2 inputs to 3 outputs.
  const Value x = tensor<float>({1, 1, 2, 2}, {1, 2, 3, 4}),
              filter = tensor<float>({1, 1, 2, 3}, {1, 2, 3, 10, 20, 30});
  EXPECT_EQ(numbers({"Conv2D", {x, filter}, convolution({1, 1, 1, 1}, {0, 0, 0, 0}, 1, "NHWC")}),
            (Numbers{21, 42, 63, 43, 86, 129}));
}

TEST(Conv2D, Products8BitIntegersInto32Bits) {
  const Value x = tensor<int8_t>({1, 1, 1, 2}, {100, -128}), filter = tensor<int8_t>({1, 1, 1, 2}, {100, 127});
  const auto result = run({"Conv2D", {x, filter}, convolution({1, 1, 1, 1}, {0, 0, 0, 0})});
  ASSERT_TRUE(result.ok());
  EXPECT_EQ((*result)[0].type, DataType::Int32);
  EXPECT_EQ((*result)[0].numbers(), Numbers{100 * 100 - 128 * 127});
}

TEST(Conv2D, HalfIsRoundedOnce) {
  // Each 0.75 alone would be lost against 2048 in binary16.
  const Value x = tensor<Half>({1, 1, 1, 3}, {2048, 0.75, 0.75}), ones = tensor<Half>({1, 1, 1, 3}, {1, 1, 1});
  EXPECT_EQ(numbers({"Conv2D", {x, ones}, convolution({1, 1, 1, 1}, {0, 0, 0, 0})}), Numbers{2050});
}

TEST(Conv2D, WrongChannelsAreRefusedWithBothNumbers) {
  const auto result = run({"Conv2D",
                           {tensor<float>({1, 3, 4, 4}, Numbers(48)), tensor<float>({2, 2, 1, 1}, Numbers(4))},
                           convolution({1, 1, 1, 1}, {0, 0, 0, 0})});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.status().message, "Conv2D node: x has 3 channels, the filter 2 (in 1 groups)");
}

// The example of ONNX's ConvTranspose: a filter of ones spreads each element.
TEST(Conv2DTranspose, SpreadsEachElement) {
  const Value size = tensor<int64_t>({4}, {0, 0, 0, 0});
  const Value x = tensor<float>({1, 1, 3, 3}, counted(9)), ones = tensor<float>({1, 1, 3, 3}, Numbers(9, 1));
  EXPECT_EQ(numbers({"Conv2DTranspose", {size, x, ones}, convolution({1, 1, 1, 1}, {0, 0, 0, 0})}),
            (Numbers{0, 1, 3, 3, 2, 3, 8, 15, 12, 7, 9, 21, 36, 27, 15, 9, 20, 33, 24, 13, 6, 13, 21, 15, 8}));
  const auto strided = run({"Conv2DTranspose", {size, x, ones}, convolution({1, 1, 3, 2}, {0, 0, 0, 0})});
  ASSERT_TRUE(strided.ok());
  EXPECT_EQ((*strided)[0].shape, (Shape{1, 1, 9, 7}));
  EXPECT_EQ((*strided)[0].numbers()[0], 0);
  EXPECT_EQ((*strided)[0].numbers()[2], 1);
  EXPECT_EQ((*strided)[0].numbers()[62], 8);
}

TEST(Conv3D, SumsAVolume) {
  Attributes attributes = {{"strides", Ints{1, 1, 1, 1, 1}}, {"pads", Ints(6, 0)}, {"data_format", "NCDHW"}};
  const Value x = tensor<float>({1, 1, 2, 2, 2}, counted(8)), ones = tensor<float>({1, 1, 2, 2, 2}, Numbers(8, 1));
  EXPECT_EQ(numbers({"Conv3D", {x, ones}, attributes}), Numbers{28});
}

Attributes pooling(Ints size, Ints strides, Ints pads) {
  return {{"ksize", size}, {"strides", strides}, {"pads", pads}, {"padding_mode", "CALCULATED"}};
}

TEST(MaxPoolV3, TakesTheLargestOfEachWindow) {
  const Value x = tensor<float>({1, 1, 4, 4}, counted(16));
  EXPECT_EQ(numbers({"MaxPoolV3", {x}, pooling({1, 1, 2, 2}, {1, 1, 2, 2}, {0, 0, 0, 0})}), (Numbers{5, 7, 13, 15}));
  Attributes with_ceil = pooling({1, 1, 3, 3}, {1, 1, 2, 2}, {0, 0, 0, 0});
  with_ceil["ceil_mode"] = true;
  EXPECT_EQ(numbers({"MaxPoolV3", {x}, with_ceil}), (Numbers{10, 11, 14, 15}));
}

TEST(MaxPoolWithArgmaxV3, CountsInsideOnePlane) {
  const Value x = tensor<float>({1, 2, 2, 2}, {1, 4, 3, 2, 8, 5, 6, 7});
  const auto result = run({"MaxPoolWithArgmaxV3", {x}, pooling({2, 2}, {2, 2}, {0, 0, 0, 0})});
  ASSERT_TRUE(result.ok()) << result.status().message;
  EXPECT_EQ((*result)[0].numbers(), (Numbers{4, 8}));
  EXPECT_EQ((*result)[1].numbers(), (Numbers{1, 0}));
}

TEST(AvgPoolV2, CountsPaddingOnlyWhenAsked) {
  const Value x = tensor<float>({1, 1, 2, 2}, {1, 2, 3, 4});
  Attributes attributes = pooling({1, 1, 2, 2}, {1, 1, 2, 2}, {1, 1, 1, 1});
  EXPECT_EQ(numbers({"AvgPoolV2", {x}, attributes}), (Numbers{1, 2, 3, 4}));
  attributes["exclusive"] = false;
  EXPECT_EQ(numbers({"AvgPoolV2", {x}, attributes}), (Numbers{0.25, 0.5, 0.75, 1}));
}

TEST(MatMul, MultipliesWithEitherSideTransposed) {
  const Value a = tensor<float>({2, 3}, {1, 2, 3, 4, 5, 6}), b = tensor<float>({3, 2}, {1, 0, 0, 1, 1, 1});
  const Numbers want = {4, 5, 10, 11};
  EXPECT_EQ(numbers({"MatMulV2", {a, b}}), want);
  const Value at = tensor<float>({3, 2}, {1, 4, 2, 5, 3, 6}), bt = tensor<float>({2, 3}, {1, 0, 1, 0, 1, 1});
  EXPECT_EQ(numbers({"MatMulV2", {at, bt}, {{"transpose_x1", true}, {"transpose_x2", true}}}), want);
  EXPECT_EQ(numbers({"MatMulV2", {a, b, tensor<float>({2}, {100, 200})}}), (Numbers{104, 205, 110, 211}));
}

TEST(BatchMatMulV2, BroadcastsBatches) {
  const Value a = tensor<float>({2, 1, 2}, {1, 2, 3, 4}), b = tensor<float>({3, 1, 2, 1}, {1, 1, 10, 0, 0, 10});
  const auto result = run({"BatchMatMulV2", {a, b}});
  ASSERT_TRUE(result.ok()) << result.status().message;
  EXPECT_EQ((*result)[0].shape, (Shape{3, 2, 1, 1}));
  EXPECT_EQ((*result)[0].numbers(), (Numbers{3, 7, 10, 30, 20, 40}));
  EXPECT_EQ(numbers({"BatchMatMulV2", {tensor<float>({2}, {1, 2}), tensor<float>({2}, {3, 4})}}), Numbers{11});
}

TEST(MatMul, MismatchedShapesAreRefusedWithBoth) {
  const auto result = run({"MatMulV2", {tensor<float>({2, 3}, Numbers(6)), tensor<float>({2, 3}, Numbers(6))}});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.status().message,
            "MatMulV2 node: matrices of shapes [2,3] and [2,3] cannot be multiplied: 3 columns meet 2 rows");
}

TEST(Softmax, SumsToOneAlongItsAxes) {
  const Value x = tensor<float>({2, 2}, {0, std::log(3.0), 1000, 1000});
  expect_near(numbers({"SoftmaxV2", {x}}), {0.25, 0.75, 0.5, 0.5}, 1e-6);
  expect_near(numbers({"LogSoftmaxV2", {x}}), {std::log(0.25), std::log(0.75), std::log(0.5), std::log(0.5)}, 1e-6);
  expect_near(numbers({"SoftmaxV2", {tensor<float>({2, 2}, Numbers(4, 7))}, {{"axes", Ints{0, 1}}}}), Numbers(4, 0.25),
              1e-6);
  EXPECT_EQ(numbers({"HardMax", {tensor<float>({2, 3}, {1, 3, 3, 5, 4, 0})}}), (Numbers{0, 1, 0, 1, 0, 0}));
}

}  // namespace
}  // namespace belay::test
