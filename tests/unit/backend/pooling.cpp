// SPDX-License-Identifier: Apache-2.0
// The poolings in the layouts of their inputs, against loops in double over each window.
#include <limits>
#include <random>

#include "support/layout_call.h"

namespace belay::test {
namespace {

using Ints = std::vector<int64_t>;
using Numbers = std::vector<double>;
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct Case {
  Shape x;                              // N C D H W
  Ints kernel, stride, dilation, pads;  // D H W; pads begin, end of each
  bool ceil = false, counts_padding = false;
};

const Case cases[] = {
    {{1, 1, 1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {0, 0, 0, 0, 0, 0}},
    {{2, 3, 1, 7, 9}, {1, 3, 3}, {1, 2, 2}, {1, 1, 1}, {0, 0, 1, 1, 1, 1}},
    {{1, 17, 1, 8, 40}, {1, 2, 2}, {1, 2, 2}, {1, 1, 1}, {0, 0, 0, 0, 0, 0}, true},
    {{3, 33, 1, 9, 6}, {1, 3, 3}, {1, 1, 1}, {1, 1, 1}, {0, 0, 1, 1, 1, 1}, false, true},
    {{1, 5, 1, 11, 37}, {1, 5, 5}, {1, 1, 1}, {1, 1, 1}, {0, 0, 2, 2, 2, 2}},
    {{1, 64, 1, 6, 5}, {1, 2, 3}, {1, 1, 3}, {1, 2, 2}, {0, 0, 0, 1, 2, 0}, true, true},
    {{2, 24, 1, 5, 5}, {1, 5, 5}, {1, 1, 1}, {1, 1, 1}, {0, 0, 0, 0, 0, 0}},
    {{1, 100, 1, 12, 13}, {1, 12, 13}, {1, 1, 1}, {1, 1, 1}, {0, 0, 0, 0, 0, 0}},
    {{1, 19, 5, 6, 7}, {2, 3, 2}, {2, 1, 3}, {1, 1, 1}, {1, 0, 1, 1, 0, 1}},
    {{2, 6, 4, 5, 6}, {3, 2, 3}, {1, 2, 1}, {1, 1, 2}, {1, 1, 0, 0, 2, 2}, true},
    {{1, 20, 1, 3, 70}, {1, 1, 4}, {1, 1, 5}, {1, 1, 1}, {0, 0, 0, 0, 1, 1}, true, true},
};

Numbers random_numbers(const Shape& shape) {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> between(-1, 1);
  Numbers all(static_cast<size_t>(graph::element_count(shape)));
  for (double& one : all) one = static_cast<double>(between(random));
  return all;
}

int64_t places_of(const Case& c, size_t i) {
  const int64_t input = c.x[i + 2], begin = c.pads[2 * i], end = c.pads[2 * i + 1], stride = c.stride[i];
  const int64_t room = input + begin + end - ((c.kernel[i] - 1) * c.dilation[i] + 1);
  int64_t places = room / stride + 1;
  // One more may hang over the end, if it begins inside the input or the padding before it.
  if (c.ceil && room % stride != 0 && places * stride < input + begin) ++places;
  return places;
}

// The folds of all windows, element by element.
Numbers pooled(const Case& c, bool average, const Numbers& x) {
  Numbers y;
  const int64_t size[] = {places_of(c, 0), places_of(c, 1), places_of(c, 2)};
  for (int64_t plane = 0; plane < c.x[0] * c.x[1]; ++plane)
    for (int64_t at = 0; at < size[0] * size[1] * size[2]; ++at) {
      const int64_t place[] = {at / (size[1] * size[2]), at / size[2] % size[1], at % size[2]};
      double sum = 0, best = -infinity;
      int64_t inside = 0, padded = 0;
      for (int64_t k = 0; k < c.kernel[0] * c.kernel[1] * c.kernel[2]; ++k) {
        const int64_t tap[] = {k / (c.kernel[1] * c.kernel[2]), k / c.kernel[2] % c.kernel[1], k % c.kernel[2]};
        bool in_x = true, in_padded = true;
        int64_t index = plane;
        for (size_t i = 0; i < 3; ++i) {
          const int64_t p = place[i] * c.stride[i] - c.pads[2 * i] + tap[i] * c.dilation[i];
          in_x = in_x && p >= 0 && p < c.x[i + 2];
          in_padded = in_padded && p < c.x[i + 2] + c.pads[2 * i + 1];
          index = index * c.x[i + 2] + p;
        }
        padded += in_padded;
        inside += in_x;
        if (!in_x) continue;
        const double value = x[static_cast<size_t>(index)];
        sum += value;
        if (value > best || std::isnan(value)) best = std::isnan(best) ? best : value;
      }
      const int64_t count = c.counts_padding ? padded : inside;
      y.push_back(!average ? best : count == 0 ? 0 : sum / static_cast<double>(count));
    }
  return y;
}

LayoutCall call_of(const Case& c, bool average, const Numbers& x, Layout layout) {
  const bool flat = c.x[2] == 1 && c.kernel[0] == 1;
  const auto with_ones = [&](Ints values) {
    values.insert(values.begin(), {1, 1});
    if (flat) values.erase(values.begin() + 2);
    return values;
  };
  Ints pads = c.pads;
  Shape shape = c.x;
  if (flat) pads.erase(pads.begin(), pads.begin() + 2), shape.erase(shape.begin() + 2);
  Attributes attributes = {{"ksize", with_ones(c.kernel)},
                           {"strides", with_ones(c.stride)},
                           {"dilation", with_ones(c.dilation)},
                           {"padding_mode", std::string("CALCULATED")},
                           {"pads", pads},
                           {"ceil_mode", flat ? graph::Attribute(c.ceil) : graph::Attribute(int64_t{c.ceil})},
                           {"exclusive", !c.counts_padding},
                           {"count_include_pad", c.counts_padding},
                           {"data_format", std::string(flat ? "NCHW" : "NCDHW")}};
  const char* op = flat ? average ? "AvgPoolV2" : "MaxPoolV3" : average ? "AvgPool3D" : "MaxPool3D";
  return {op, {tensor<float>(shape, x)}, attributes, "simd", {layout}};
}

constexpr Layout all_layouts[] = {Layout::Plain, Layout::ChannelsLast};

TEST(Pooling, GivesTheFoldOfEachWindowInEachLayout) {
  for (const Case& c : cases)
    for (const bool average : {false, true})
      for (const Layout layout : all_layouts)
        for (const int threads : {1, 3}) {
          SCOPED_TRACE(testing::Message()
                       << graph::to_text(c.x) << (average ? " average " : " maximum ") << int(layout));
          const Numbers x = random_numbers(c.x);
          LayoutCall call = call_of(c, average, x, layout);
          call.threads = threads;
          expect_near(numbers_in_layout(call), pooled(c, average, x), average ? 1e-6 : 0);
        }
}

TEST(Pooling, AMaximumKeepsNaNAndInfinities) {
  for (const Case& c : cases)
    for (const Layout layout : all_layouts)
      for (const double odd : {nan, infinity, -infinity}) {
        SCOPED_TRACE(testing::Message() << graph::to_text(c.x) << " " << odd << " " << int(layout));
        Numbers x = random_numbers(c.x);
        for (size_t i = 0; i < x.size(); i += 13) x[i] = odd;
        expect_near(numbers_in_layout(call_of(c, false, x, layout)), pooled(c, false, x), 0);
      }
}

TEST(Pooling, AnAverageKeepsNaNAndInfinities) {
  for (const Layout layout : all_layouts)
    for (const double odd : {nan, infinity, -infinity}) {
      SCOPED_TRACE(testing::Message() << odd << " " << int(layout));
      Numbers x = random_numbers(cases[1].x);
      x[x.size() / 2] = odd;
      expect_near(numbers_in_layout(call_of(cases[1], true, x, layout)), pooled(cases[1], true, x), 1e-6);
    }
}

TEST(Pooling, ChannelsLastInTheShapeItself) {
  // NHWC: 1 x 2 x 2 places of 3 channels.
  const Value x = tensor<float>({1, 2, 2, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  const Attributes attributes = {{"ksize", Ints{1, 2, 2, 1}},
                                 {"strides", Ints{1, 1, 1, 1}},
                                 {"padding_mode", std::string("VALID")},
                                 {"data_format", std::string("NHWC")}};
  EXPECT_EQ(numbers({"MaxPoolV3", {x}, attributes, "simd"}), (Numbers{10, 11, 12}));
  EXPECT_EQ(numbers({"AvgPoolV2", {x}, attributes, "simd"}), (Numbers{5.5, 6.5, 7.5}));
}

TEST(Pooling, ADivisorOfTheModelIsTaken) {
  const Value x = tensor<float>({1, 1, 1, 2, 2}, {1, 2, 3, 6});
  const Attributes attributes = {{"ksize", Ints{1, 2, 2}},
                                 {"strides", Ints{1, 1, 1}},
                                 {"pads", Ints{0, 0, 0, 0, 0, 0}},
                                 {"divisor_override", int64_t{3}},
                                 {"data_format", std::string("NCDHW")}};
  EXPECT_EQ(numbers({"AvgPool3D", {x}, attributes, "simd"}), Numbers{4});
}

TEST(Pooling, AnEmptyTensorAndPositionsAreRefused) {
  const Attributes attributes = {{"ksize", Ints{1, 1, 2, 2}},
                                 {"strides", Ints{1, 1, 1, 1}},
                                 {"padding_mode", std::string("VALID")},
                                 {"data_format", std::string("NCHW")}};
  const auto refused = run({"MaxPoolV3", {tensor<float>({0, 3, 4, 4}, {})}, attributes, "simd"});
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.status().message.find("an empty tensor"), std::string::npos) << refused.status().message;
}

TEST(GlobalPool, GivesTheMeanAndTheLargestOfEachChannel) {
  for (const Shape& shape :
       {Shape{1, 1, 1, 1}, Shape{2, 17, 3, 5}, Shape{1, 300, 7, 7}, Shape{3, 33, 20, 21}, Shape{2, 5, 3, 4, 5}})
    for (const Layout layout : all_layouts)
      for (const double odd : {0.5, nan, infinity}) {
        SCOPED_TRACE(testing::Message() << graph::to_text(shape) << " " << int(layout) << " " << odd);
        Numbers x = random_numbers(shape), means, largest;
        x[x.size() / 3] = odd;
        const auto planes = static_cast<size_t>(shape[0] * shape[1]), space = x.size() / planes;
        for (size_t p = 0; p < planes; ++p) {
          double sum = 0, best = -infinity;
          for (size_t s = 0; s < space; ++s) {
            const double value = x[p * space + s];
            sum += value;
            if (value > best || std::isnan(value)) best = std::isnan(best) ? best : value;
          }
          means.push_back(sum / static_cast<double>(space));
          largest.push_back(best);
        }
        const Value given = tensor<float>(shape, x);
        expect_near(numbers_in_layout({"GlobalAveragePool", {given}, {}, "simd", {layout}}), means, 1e-6);
        expect_near(numbers_in_layout({"GlobalMaxPool", {given}, {}, "simd", {layout}}), largest, 0);
        expect_near(numbers({"GlobalMaxPool", {given}}), largest, 0);
      }
}

}  // namespace
}  // namespace belay::test
