// SPDX-License-Identifier: Apache-2.0
// Products of integers by way of floats: the very integers of the reference kernels.
#include <random>

#include "backend/cpu/quant/parameter.h"
#include "support/op_call.h"

namespace belay::test {
namespace {

using Numbers = std::vector<double>;
using Ints = std::vector<int64_t>;

// Whole numbers from `low` to `high`, both among them.
Numbers wholes(const Shape& shape, int64_t low, int64_t high, uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<int64_t> between(low, high);
  Numbers all(static_cast<size_t>(graph::element_count(shape)));
  for (double& number : all) number = static_cast<double>(between(random));
  if (!all.empty()) all.front() = static_cast<double>(low), all.back() = static_cast<double>(high);
  return all;
}

struct Range {
  DataType type;
  int64_t low, high;
};
// All of the small types; what ConvInteger makes of them; sums that wrap around; what floats cannot hold.
const Range ranges[] = {{DataType::Int8, -128, 127},
                        {DataType::UInt8, 0, 255},
                        {DataType::Int32, -255, 255},
                        {DataType::Int32, -1000, 1000},
                        {DataType::Int32, -2147483648LL, 2147483647}};

void expect_exact(OpCall call) {
  for (const bool constant : {false, true})
    for (const int threads : {1, 2}) {
      call.constant = constant;
      call.threads = threads;
      call.how = "reference";
      const Numbers reference = numbers(call);
      call.how = "exact";
      EXPECT_EQ(numbers(call), reference);
    }
}

TEST(IntegerMatmul, HasTheIntegersOfTheReference) {
  struct {
    Shape a, b, y;
    bool transpose_a = false, transpose_b = false;
  } const cases[] = {
      {{3, 2000}, {2000, 5}, {3, 5}},
      {{2000, 3}, {5, 2000}, {3, 5}, true, true},
      {{2, 3, 4, 70}, {70, 6}, {2, 3, 4, 6}},
      {{2, 1, 4, 7}, {3, 7, 6}, {2, 3, 4, 6}},
      {{2, 3, 7, 4}, {2, 3, 7, 6}, {2, 3, 4, 6}, true},
  };
  for (const auto& c : cases)
    for (const Range& r : ranges) {
      SCOPED_TRACE(graph::to_text(c.a) + " " + std::string(graph::name_of(r.type)) + std::to_string(r.high));
      expect_exact(
          {"BatchMatMulV2",
           {tensor(r.type, c.a, wholes(c.a, r.low, r.high, 1)), tensor(r.type, c.b, wholes(c.b, r.low, r.high, 2))},
           {{"adj_x1", c.transpose_a}, {"adj_x2", c.transpose_b}},
           "",
           {{DataType::Int32, c.y}}});
    }
}

// 2000 times 127 * 127: above 2^24, where floats are no longer all whole numbers.
TEST(IntegerMatmul, SumsAboveTheWholeNumbersOfFloatsAreExact) {
  const Value row = tensor<int8_t>({1, 2001}, Numbers(2001, 127));
  Numbers ones(2001, 127);
  ones[2000] = 1;
  EXPECT_EQ(numbers({"MatMulV2", {row, tensor<int8_t>({2001, 1}, ones)}, {}, "exact", {{DataType::Int32, {1, 1}}}}),
            Numbers{2000.0 * 127 * 127 + 127});
}

TEST(IntegerConvolution, HasTheIntegersOfTheReference) {
  struct {
    Shape x, filter, y;
    Ints strides = {1, 1, 1, 1}, pads = {0, 0, 0, 0}, dilations = {1, 1, 1, 1};
    int64_t groups = 1;
    bool bias = false;
    std::string format = "NCHW";
  } const cases[] = {
      {{2, 3, 9, 8}, {4, 3, 3, 3}, {2, 4, 9, 8}, {1, 1, 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}, 1, true},
      {{1, 200, 3, 5}, {7, 200, 3, 3}, {1, 7, 1, 3}},
      {{1, 6, 9, 9}, {4, 3, 3, 2}, {1, 4, 4, 4}, {1, 1, 2, 2}, {0, 1, 0, 0}, {1, 1, 2, 1}, 2, true},
      {{1, 8, 300, 301}, {8, 1, 1, 1}, {1, 8, 300, 301}, {1, 1, 1, 1}, {0, 0, 0, 0}, {1, 1, 1, 1}, 8},
      {{2, 5, 6, 3}, {3, 3, 3, 4}, {2, 3, 4, 4}, {1, 1, 1, 1}, {0, 0, 0, 0}, {1, 1, 1, 1}, 1, true, "NHWC"},
  };
  for (const auto& c : cases)
    for (const Range& r : ranges) {
      SCOPED_TRACE(graph::to_text(c.x) + " " + std::string(graph::name_of(r.type)) + std::to_string(r.high));
      const bool last = c.format == "NHWC";
      OpCall call{"Conv2D",
                  {tensor(r.type, c.x, wholes(c.x, r.low, r.high, 1)),
                   tensor(r.type, c.filter, wholes(c.filter, r.low, r.high, 2))},
                  {{"strides", c.strides},
                   {"pads", c.pads},
                   {"dilations", c.dilations},
                   {"groups", c.groups},
                   {"data_format", c.format}},
                  "",
                  {{DataType::Int32, c.y}}};
      const int64_t channels = last ? c.y[3] : c.y[1];
      if (c.bias) call.inputs.push_back(tensor<int32_t>({channels}, wholes({channels}, -100000, 100000, 3)));
      expect_exact(call);
    }
}

TEST(IntegerConvolution, EmptyTensorsAreLeftToTheReference) {
  const OpCall call{"Conv2D",
                    {tensor<int8_t>({0, 1, 3, 3}, {}), tensor<int8_t>({1, 1, 1, 1}, {1})},
                    {{"strides", Ints{1, 1, 1, 1}}, {"pads", Ints{0, 0, 0, 0}}, {"data_format", std::string("NCHW")}},
                    "",
                    {{DataType::Int32, {0, 1, 3, 3}}}};
  EXPECT_TRUE(numbers(call).empty());
}

TEST(IntegerGemm, HasTheIntegersOfTheReference) {
  for (const bool turned : {false, true}) {
    const Shape a = turned ? Shape{1500, 3} : Shape{3, 1500}, b = turned ? Shape{5, 1500} : Shape{1500, 5};
    OpCall call{"GEMM",
                {tensor<int8_t>(a, wholes(a, -128, 127, 1)), tensor<int8_t>(b, wholes(b, -128, 127, 2)),
                 tensor<int32_t>({3, 5}, wholes({3, 5}, -90000, 90000, 3)), tensor<int32_t>({}, {3}),
                 tensor<int32_t>({}, {-2})},
                {{"transpose_a", turned}, {"transpose_b", turned}},
                "reference",
                {{DataType::Int32, {3, 5}}}};
    const Numbers reference = numbers(call);
    call.how = "fast";
    EXPECT_EQ(numbers(call), reference);
  }
}

// 2 * (1 * 3 + 2 * 4) - 3 * 5 = 7; and 2048 + 1 + 1, of which half floats lose the ones one by one: the product is
// rounded.
TEST(Gemm, ScalesTheProductAndTheAddend) {
  const auto gemm = [](DataType type, const std::string& how, const Numbers& numbers) {
    return OpCall{"GEMM",
                  {tensor(type, {1, 2}, {numbers[0], numbers[1]}), tensor(type, {2, 1}, {numbers[2], numbers[3]}),
                   tensor(type, {1, 1}, {numbers[4]}), tensor(type, {}, {numbers[5]}), tensor(type, {}, {numbers[6]})},
                  {},
                  how};
  };
  EXPECT_EQ(numbers(gemm(DataType::Float, "fast", {1, 2, 3, 4, 5, 2, -3})), Numbers{7});
  for (const DataType type : {DataType::Float16, DataType::BFloat16})
    for (const char* how : {"halves", "reference"})
      EXPECT_EQ(numbers(gemm(type, how, {1, 2, 3, 4, 5, 2, -3})), Numbers{7});
  for (const char* how : {"halves", "reference"})
    EXPECT_EQ(numbers(gemm(DataType::Float16, how, {2048, 1, 1, 1, 1, 1, 1})), Numbers{2048});
}

// 3000 * 127 * 127 = 48387000 is no float of its own neighbours: 4 apart. The bias is added before the scale.
TEST(QuantBatchMatmul, SumsAreExactBeforeTheyAreScaled) {
  const Value a = tensor<int8_t>({1, 3000}, Numbers(3000, 127)), b = tensor<int8_t>({3000, 1}, Numbers(3000, 127));
  EXPECT_EQ(numbers({"QuantBatchMatmulV3",
                     {a, b, tensor<float>({1}, {1}), absent(), tensor<int32_t>({1}, {-48387000 + 5})},
                     {{"dtype", int64_t{0}}},
                     "reference",
                     {{DataType::Float, {1, 1}}}}),
            Numbers{5});
}

// Halves go to the even neighbour, as IEEE 754's nearest; what has no fraction stays.
TEST(NearestWhole, RoundsAsNearbyint) {
  using backend::cpu::nearest_whole;
  for (const float x :
       {0.5f, 1.5f, 2.5f, -0.5f, -1.5f, 0.49999997f, 4194303.5f, -4194303.5f, 4194304.5f, 8388609.0f, 3e38f})
    EXPECT_EQ(nearest_whole(x), std::nearbyint(x)) << x;
  EXPECT_TRUE(std::isnan(nearest_whole(std::nanf(""))));
  std::mt19937 random(1);
  std::uniform_real_distribution<float> between(-300, 300);
  for (int i = 0; i < 100000; ++i) {
    const float x = between(random);
    ASSERT_EQ(nearest_whole(x), std::nearbyint(x)) << x;
  }
}

}  // namespace
}  // namespace belay::test
