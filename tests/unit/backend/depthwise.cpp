// SPDX-License-Identifier: Apache-2.0
// Convolutions of each channel by itself, against loops in double.
#include <random>

#include "support/layout_call.h"

namespace belay::test {
namespace {

using Ints = std::vector<int64_t>;
using Numbers = std::vector<double>;

struct Case {
  Shape x;      // N C D H W
  Ints kernel;  // D H W
  Ints stride = {1, 1, 1}, dilation = {1, 1, 1}, pads = {0, 0, 0, 0, 0, 0};
  int64_t several = 1;  // outputs of a channel
};

const Case cases[] = {
    {{1, 3, 1, 5, 7}, {1, 3, 3}},
    {{3, 5, 1, 9, 9}, {1, 3, 3}, {1, 1, 1}, {1, 1, 1}, {0, 0, 1, 1, 1, 1}},
    {{1, 17, 1, 8, 23}, {1, 3, 3}, {1, 2, 2}, {1, 1, 1}, {0, 0, 1, 1, 1, 1}},
    {{1, 33, 1, 7, 7}, {1, 5, 5}, {1, 1, 1}, {1, 1, 1}, {0, 0, 2, 2, 2, 2}},
    {{2, 32, 1, 10, 15}, {1, 5, 5}, {1, 2, 2}, {1, 1, 1}, {0, 0, 2, 1, 1, 2}},
    {{1, 300, 1, 4, 6}, {1, 7, 7}, {1, 1, 1}, {1, 1, 1}, {0, 0, 3, 3, 3, 3}},
    {{1, 40, 1, 12, 13}, {1, 3, 3}, {1, 1, 1}, {1, 2, 3}, {0, 0, 2, 2, 3, 3}},
    {{1, 130, 1, 3, 3}, {1, 2, 4}, {1, 3, 1}, {1, 1, 1}, {0, 0, 1, 0, 2, 2}},
    {{1, 16, 1, 1, 1}, {1, 3, 3}, {1, 1, 1}, {1, 1, 1}, {0, 0, 1, 1, 1, 1}},
    {{1, 16, 1, 2, 2}, {1, 3, 3}, {1, 1, 1}, {1, 1, 1}, {0, 0, 4, 4, 4, 4}},
    {{2, 7, 1, 6, 9}, {1, 3, 3}, {1, 1, 1}, {1, 1, 1}, {0, 0, 1, 1, 1, 1}, 3},
    {{1, 70, 1, 5, 5}, {1, 3, 3}, {1, 2, 1}, {1, 1, 1}, {0, 0, 1, 1, 1, 1}, 2},
    {{2, 18, 5, 6, 7}, {3, 3, 3}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1, 1, 1, 1}},
    {{1, 20, 4, 5, 6}, {2, 1, 3}, {2, 1, 2}, {1, 1, 1}, {0, 1, 0, 0, 1, 0}, 2},
};

bool is_flat(const Case& c) { return c.x[2] == 1 && c.kernel[0] == 1; }

Numbers random_numbers(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> between(-1, 1);
  Numbers all(count);
  for (double& one : all) one = static_cast<double>(between(random));
  return all;
}

// The filter is output channel by output channel.
Numbers convolved(const Case& c, const Numbers& x, const Numbers& filter, const Numbers& bias) {
  int64_t size[3];
  for (size_t i = 0; i < 3; ++i)
    size[i] =
        (c.x[i + 2] + c.pads[2 * i] + c.pads[2 * i + 1] - (c.kernel[i] - 1) * c.dilation[i] - 1) / c.stride[i] + 1;
  const int64_t taps = c.kernel[0] * c.kernel[1] * c.kernel[2], outputs = c.x[1] * c.several;
  Numbers y;
  for (int64_t n = 0; n < c.x[0]; ++n)
    for (int64_t o = 0; o < outputs; ++o)
      for (int64_t at = 0; at < size[0] * size[1] * size[2]; ++at) {
        const int64_t place[] = {at / (size[1] * size[2]), at / size[2] % size[1], at % size[2]};
        double sum = bias[static_cast<size_t>(o)];
        for (int64_t k = 0; k < taps; ++k) {
          const int64_t tap[] = {k / (c.kernel[1] * c.kernel[2]), k / c.kernel[2] % c.kernel[1], k % c.kernel[2]};
          int64_t index = n * c.x[1] + o / c.several;
          bool inside = true;
          for (size_t i = 0; i < 3; ++i) {
            const int64_t p = place[i] * c.stride[i] - c.pads[2 * i] + tap[i] * c.dilation[i];
            inside = inside && p >= 0 && p < c.x[i + 2];
            index = index * c.x[i + 2] + p;
          }
          if (inside) sum += x[static_cast<size_t>(index)] * filter[static_cast<size_t>(o * taps + k)];
        }
        y.push_back(sum);
      }
  return y;
}

Attributes attributes_of(const Case& c, bool flat, const char* format) {
  const auto with_ones = [&](Ints values) {
    values.insert(values.begin(), {1, 1});
    if (flat) values.erase(values.begin() + 2);
    return values;
  };
  return {{"strides", with_ones(c.stride)},
          {"dilations", with_ones(c.dilation)},
          {"pads", flat ? Ints(c.pads.begin() + 2, c.pads.end()) : c.pads},
          {"groups", c.x[1]},
          {"data_format", std::string(format)}};
}

Shape without_depth(Shape shape) {
  shape.erase(shape.begin() + 2);
  return shape;
}

TEST(DepthwiseConvolution, AgreesWithLoopsInDouble) {
  for (const Case& c : cases)
    for (const bool constant : {true, false})
      for (const int threads : {1, 3}) {
        SCOPED_TRACE(testing::Message() << graph::to_text(c.x) << " kernel " << graph::to_text(c.kernel));
        const bool flat = is_flat(c);
        const int64_t outputs = c.x[1] * c.several;
        Shape filter = {outputs, 1, c.kernel[0], c.kernel[1], c.kernel[2]}, x = c.x;
        const Numbers values = random_numbers(static_cast<size_t>(graph::element_count(x)), 1);
        const Numbers weights = random_numbers(static_cast<size_t>(graph::element_count(filter)), 2);
        const Numbers bias = random_numbers(static_cast<size_t>(outputs), 3);
        if (flat) x = without_depth(x), filter = without_depth(filter);
        const LayoutCall call{
            flat ? "Conv2D" : "Conv3D",
            {tensor<float>(x, values), tensor<float>(filter, weights), tensor<float>({outputs}, bias)},
            attributes_of(c, flat, flat ? "NCHW" : "NCDHW"),
            "depthwise",
            {Layout::ChannelsLast},
            threads,
            constant};
        expect_near(numbers_in_layout(call), convolved(c, values, weights, bias), 2e-5);
      }
}

// The filter of DepthwiseConv2D has the channel and its outputs last (HWCN), the image its channels.
TEST(DepthwiseConvolution, TakesTheFilterAndTheImageChannelsLast) {
  for (const Case& c :
       {cases[2], cases[10], Case{{2, 1, 1, 6, 6}, {1, 3, 3}, {1, 1, 1}, {1, 1, 1}, {0, 0, 1, 1, 1, 1}, 4}}) {
    const int64_t channels = c.x[1], height = c.x[3], width = c.x[4], outputs = channels * c.several;
    const int64_t taps = c.kernel[1] * c.kernel[2];
    const Numbers values = random_numbers(static_cast<size_t>(graph::element_count(c.x)), 1);
    const Numbers weights = random_numbers(static_cast<size_t>(outputs * taps), 2);
    Numbers last(values.size()), turned(weights.size());
    for (int64_t n = 0; n < c.x[0]; ++n)
      for (int64_t ch = 0; ch < channels; ++ch)
        for (int64_t s = 0; s < height * width; ++s)
          last[static_cast<size_t>((n * height * width + s) * channels + ch)] =
              values[static_cast<size_t>((n * channels + ch) * height * width + s)];
    for (int64_t o = 0; o < outputs; ++o)
      for (int64_t k = 0; k < taps; ++k)
        turned[static_cast<size_t>(k * outputs + o)] = weights[static_cast<size_t>(o * taps + k)];
    Attributes attributes = attributes_of(c, true, "NHWC");
    attributes["strides"] = Ints{1, c.stride[1], c.stride[2], 1};
    attributes["dilations"] = Ints{1, c.dilation[1], c.dilation[2], 1};
    const Value x = tensor<float>({c.x[0], height, width, channels}, last);
    const Value filter = tensor<float>({c.kernel[1], c.kernel[2], channels, c.several}, turned);
    const Numbers got = numbers_in_layout({"DepthwiseConv2D", {x, filter}, attributes, "depthwise", {}, 1, true});
    const Numbers want = convolved(c, values, weights, Numbers(static_cast<size_t>(outputs)));
    ASSERT_EQ(got.size(), want.size());
    Numbers back(got.size());
    const auto space = static_cast<int64_t>(got.size()) / (c.x[0] * outputs);
    for (int64_t n = 0; n < c.x[0]; ++n)
      for (int64_t o = 0; o < outputs; ++o)
        for (int64_t s = 0; s < space; ++s)
          back[static_cast<size_t>((n * outputs + o) * space + s)] =
              got[static_cast<size_t>((n * space + s) * outputs + o)];
    expect_near(back, want, 2e-5);
  }
}

// Weights that meet the padding only add nothing, as in the reference.
TEST(DepthwiseConvolution, AnInfiniteWeightOutsideTheImageIsNotSeen) {
  const Value x = tensor<float>({1, 2, 1, 1}, {3, 5});
  Numbers weights(18, std::numeric_limits<double>::infinity());
  weights[4] = 2, weights[13] = 4;
  const LayoutCall call{"Conv2D",
                        {x, tensor<float>({2, 1, 3, 3}, weights)},
                        {{"strides", Ints{1, 1, 1, 1}},
                         {"pads", Ints{1, 1, 1, 1}},
                         {"groups", int64_t{2}},
                         {"data_format", std::string("NCHW")}},
                        "depthwise"};
  EXPECT_EQ(numbers_in_layout(call), (Numbers{6, 20}));
}

TEST(DepthwiseConvolution, OtherGroupsAndEmptyTensorsAreRefused) {
  const auto message_of = [](const Shape& x, const Shape& filter, int64_t groups) {
    const auto zeros = [](const Shape& shape) {
      return tensor<float>(shape, Numbers(size_t(graph::element_count(shape))));
    };
    const auto refused = run({"Conv2D",
                              {zeros(x), zeros(filter)},
                              {{"strides", Ints{1, 1, 1, 1}},
                               {"pads", Ints{0, 0, 0, 0}},
                               {"groups", groups},
                               {"data_format", std::string("NCHW")}},
                              "depthwise"});
    return refused.ok() ? std::string() : refused.status().message;
  };
  EXPECT_NE(message_of({1, 4, 5, 5}, {4, 2, 3, 3}, 2).find("as many groups as channels"), std::string::npos);
  EXPECT_NE(message_of({1, 1, 5, 5}, {4, 1, 3, 3}, 1).find("as many groups as channels"), std::string::npos);
  EXPECT_NE(message_of({0, 4, 5, 5}, {4, 1, 3, 3}, 4).find("an empty tensor"), std::string::npos);
}

}  // namespace
}  // namespace belay::test
