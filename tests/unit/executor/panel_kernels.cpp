// SPDX-License-Identifier: Apache-2.0
// The convolutions that compute in panels, and Winograd's among them, against the reference kernels.
#include "unit/executor/one_node_models.h"

namespace belay::executor {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

// Widths of panels below, at and above 64; rows that are not multiples of a block; depths above 128;
// enough rows for several pieces.
const ConvCase panel_cases[] = {
    {{1, 16, 9, 9}, {16, 16, 1, 1}, {1, 1}, {0, 0, 0, 0}, {1, 1}, 1, true},
    {{2, 32, 14, 14}, {48, 32, 1, 1}, {2, 2}},
    {{3, 32, 8, 11}, {32, 32, 3, 3}, {1, 2}, {1, 0, 2, 1}},
    {{1, 32, 15, 15}, {16, 32, 5, 5}, {1, 1}, {2, 2, 2, 2}},
    {{1, 16, 20, 20}, {16, 16, 3, 3}, {1, 1}, {2, 2, 2, 2}, {2, 2}, 1, true},
    {{1, 144, 7, 7}, {208, 144, 1, 1}, {1, 1}, {0, 0, 0, 0}, {1, 1}, 1, true},
    {{1, 256, 1, 1}, {64, 256, 1, 1}},
    {{1, 64, 3, 5}, {144, 64, 3, 3}, {1, 1}, {1, 1, 1, 1}},
    {{1, 16, 6, 40}, {80, 16, 1, 7}, {1, 1}, {0, 0, 3, 3}, {1, 1}, 1, true},
    {{1, 16, 40, 37}, {144, 16, 3, 3}, {1, 1}, {1, 1, 1, 1}},
    // Few channels, whose rows are copied: strides, paddings that differ, dilation, a filter as wide as the image.
    {{1, 3, 17, 19}, {8, 3, 7, 7}, {2, 2}, {3, 3, 3, 3}},
    {{3, 1, 32, 40}, {33, 1, 3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}, 1, true},
    {{1, 5, 9, 12}, {17, 5, 3, 2}, {2, 3}, {0, 2, 4, 1}},
    {{1, 3, 12, 12}, {5, 3, 3, 3}, {1, 1}, {2, 2, 2, 2}, {2, 2}},
    {{5, 2, 4, 4}, {3, 2, 4, 4}},
    {{1, 1, 1, 400}, {48, 1, 1, 80}, {1, 20}, {0, 0, 7, 3}},
    // Channels that do not fill vectors.
    {{1, 17, 13, 11}, {33, 17, 3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}, 1, true},
    {{3, 33, 5, 5}, {5, 33, 1, 1}},
    {{1, 120, 1, 1}, {30, 120, 1, 1}, {1, 1}, {0, 0, 0, 0}, {1, 1}, 1, true},
    {{2, 24, 14, 14}, {100, 24, 3, 3}, {2, 2}, {1, 1, 1, 1}},
    // Groups.
    {{1, 12, 7, 7}, {18, 4, 3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}, 3},
    {{3, 32, 7, 7}, {64, 16, 3, 3}, {1, 1}, {0, 1, 1, 0}, {1, 1}, 2, true},
    {{1, 128, 14, 14}, {128, 4, 3, 3}, {2, 2}, {1, 1, 1, 1}, {1, 1}, 32, true},
    {{1, 60, 9, 9}, {60, 20, 1, 1}, {1, 1}, {0, 0, 0, 0}, {1, 1}, 3},
    {{1, 6, 20, 20}, {150, 3, 3, 3}, {1, 2}, {3, 3, 3, 3}, {3, 2}, 2},
};

const ConvCase winograd_cases[] = {
    {{1, 16, 14, 14}, {16, 16, 3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}, 1, true},
    {{1, 32, 15, 13}, {48, 32, 3, 3}, {1, 1}, {0, 0, 0, 0}},
    {{2, 16, 11, 17}, {80, 16, 3, 3}, {1, 1}, {2, 0, 1, 2}, {1, 1}, 1, true},
    {{1, 160, 14, 15}, {64, 160, 3, 3}, {1, 1}, {1, 1, 1, 1}},
    {{7, 16, 5, 5}, {144, 16, 3, 3}, {1, 1}, {1, 1, 1, 1}},
    {{1, 16, 30, 29}, {80, 16, 3, 3}, {1, 1}, {1, 1, 1, 1}},
    {{1, 17, 19, 21}, {33, 17, 3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}, 1, true},
    {{3, 40, 11, 10}, {100, 40, 3, 3}, {1, 1}, {0, 1, 1, 0}},
};

// Forty tiles of 4 x 4 results and more; rows and columns that do not fill the last ones.
const ConvCase winograd_4_cases[] = {
    {{1, 32, 28, 28}, {16, 32, 3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}, 1, true},
    {{1, 32, 30, 29}, {48, 32, 3, 3}, {1, 1}, {0, 0, 0, 0}},
    {{2, 32, 19, 22}, {80, 32, 3, 3}, {1, 1}, {2, 0, 1, 2}, {1, 1}, 1, true},
    {{7, 33, 9, 9}, {33, 33, 3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}, 1, true},
    {{1, 160, 27, 26}, {64, 160, 3, 3}, {1, 1}, {1, 1, 1, 1}},
    {{3, 40, 18, 15}, {100, 40, 3, 3}, {1, 1}, {0, 1, 1, 0}},
};

TEST(PanelConvolution, AgreesWithTheReference) {
  for (const ConvCase& c : panel_cases)
    for (const int threads : {1, 2, 3}) {
      SCOPED_TRACE("x " + graph::to_text(c.x) + " filter " + graph::to_text(c.filter));
      const Case model = conv_model(c);
      expect_close(run(model, "panels", threads), run(model, "reference"), length_of(c));
    }
}

TEST(WinogradConvolution, AgreesWithTheReference) {
  for (const ConvCase& c : winograd_cases)
    for (const int threads : {1, 2, 3}) {
      SCOPED_TRACE("x " + graph::to_text(c.x) + " filter " + graph::to_text(c.filter));
      const Case model = conv_model(c);
      expect_close(run(model, "winograd", threads), run(model, "reference"), length_of(c));
    }
}

// y in double, a second way.
std::vector<double> convolved(const ConvCase& c, const std::vector<float>& x, const std::vector<float>& w) {
  const int64_t inputs = c.x[1], height = c.x[2], width = c.x[3];
  const int64_t out_height = height + c.pads[0] + c.pads[1] - 2, out_width = width + c.pads[2] + c.pads[3] - 2;
  std::vector<double> y;
  for (int64_t n = 0; n < c.x[0]; ++n)
    for (int64_t o = 0; o < c.filter[0]; ++o)
      for (int64_t i = 0; i < out_height * out_width; ++i) {
        double sum = 0;
        for (int64_t k = 0; k < inputs * 9; ++k) {
          const int64_t row = i / out_width + k / 3 % 3 - c.pads[0], column = i % out_width + k % 3 - c.pads[2];
          if (row < 0 || row >= height || column < 0 || column >= width) continue;
          sum += double(x[size_t(((n * inputs + k / 9) * height + row) * width + column)]) *
                 double(w[size_t(o * inputs * 9 + k)]);
        }
        y.push_back(sum);
      }
  return y;
}

// A plain sum of n products may be off by n 2^-24 times the sum of their magnitudes, which is n / 4 here. What is asked
// for is far less: as of all fast kernels, 2 n 2^-24 of the result or of 1. Of the weights' points some are rounded.
TEST(WinogradConvolution, LargerTilesStayWithinTheBoundOfAPlainSum) {
  for (const ConvCase& c : winograd_4_cases) {
    if (c.bias) continue;
    SCOPED_TRACE(graph::to_text(c.x));
    const Case model = conv_model(c);
    const auto y = run(model, "winograd 4");
    const auto exact = convolved(c, model.inputs[0].second, random_floats(c.filter, 2));
    ASSERT_EQ(y.size(), exact.size());
    const double bound = std::ldexp(static_cast<double>(length_of(c)), -23);
    for (size_t i = 0; i < y.size(); ++i)
      ASSERT_NEAR(double(y[i]), exact[i], bound * std::max(1.0, std::fabs(exact[i]))) << i;
  }
}

TEST(WinogradConvolution, LargerTilesAgreeWithTheReference) {
  for (const ConvCase& c : winograd_4_cases)
    for (const int threads : {1, 2, 3}) {
      SCOPED_TRACE("x " + graph::to_text(c.x) + " filter " + graph::to_text(c.filter));
      const Case model = conv_model(c);
      expect_close(run(model, "winograd 4", threads), run(model, "reference"), length_of(c));
    }
}

TEST(WinogradConvolution, SmallWholeNumbersAreExact) {
  Case model = conv_model(winograd_cases[0]);
  auto& x = model.inputs[0].second;
  for (float& value : x) value = std::round(value * 100);
  // Its weights are no whole numbers; those here are: the middle of the filter sees the place itself, in all channels.
  Builder b("sum");
  const Shape filter = {16, 16, 3, 3};
  std::vector<float> weights(16 * 16 * 9), expected(x.size());
  for (size_t i = 0; i < 16 * 16; ++i) weights[i * 9 + 4] = i % 3 == 0 ? -1 : 1;
  const size_t pixels = x.size() / 16;
  for (size_t i = 0; i < x.size(); ++i)
    for (size_t c = 0; c < 16; ++c) expected[i] += x[c * pixels + i % pixels] * weights[(i / pixels * 16 + c) * 9 + 4];
  b.outputs(
      {b.op("Conv2D", "conv",
            {b.data("x", DataType::Float, winograd_cases[0].x, 0), b.constant("w", DataType::Float, filter, weights)},
            attributes_of(winograd_cases[0]))});
  model.model = b.model();
  EXPECT_EQ(run(model, "winograd"), expected);
}

// More threads than there is work among them.
TEST(PanelConvolution, TheNumberOfThreadsDoesNotChangeABit) {
  for (const char* row : {"panels", "winograd"})
    for (const ConvCase& c : winograd_cases) {
      const Case model = conv_model(c);
      const auto one = run(model, row, 1);
      for (const int threads : {2, 3, 5, 7, 8, 11, 12, 16, 24, 33, 64, 128})
        EXPECT_EQ(one, run(model, row, threads)) << row << " on " << threads << " threads, x " << graph::to_text(c.x);
    }
}

TEST(WinogradConvolution, TheNumberOfThreadsDoesNotChangeABitOfLargerTiles) {
  for (const ConvCase& c : winograd_4_cases) {
    const Case model = conv_model(c);
    const auto one = run(model, "winograd 4", 1);
    for (const int threads : {2, 3, 7, 64}) EXPECT_EQ(one, run(model, "winograd 4", threads)) << threads << " threads";
  }
}

// One element that is no number, or too large, shows in those results only that depend on it.
void expect_wild_stays(const ConvCase& c, const char* row, float wild) {
  SCOPED_TRACE(graph::to_text(c.x));
  Case model = conv_model(c);
  auto& x = model.inputs[0].second;
  x[x.size() / 2] = wild;
  const auto fast = run(model, row, 2), plain = run(model, "reference");
  ASSERT_EQ(fast.size(), plain.size());
  for (size_t i = 0; i < fast.size(); ++i) {
    ASSERT_EQ(std::isnan(fast[i]), std::isnan(plain[i])) << i;
    if (std::isnan(plain[i])) continue;
    const double bound = std::ldexp(static_cast<double>(length_of(c) + 8), -23);  // as expect_close has it
    const double room = std::isinf(plain[i]) ? 0 : bound * std::max(1.0f, std::fabs(plain[i]));
    ASSERT_TRUE(fast[i] == plain[i] || std::fabs(fast[i] - plain[i]) <= room) << i << ": " << fast[i];
  }
}

TEST(WinogradConvolution, WildInputsStayWhereTheyBelong) {
  for (const float wild : {nan, infinity, -infinity, 3e38f}) {
    for (const ConvCase& c : winograd_cases) expect_wild_stays(c, "winograd", wild);
    for (const ConvCase& c : winograd_4_cases) expect_wild_stays(c, "winograd 4", wild);
  }
}

const ConvCase fused_cases[] = {
    {{1, 16, 6, 6}, {32, 16, 1, 1}},
    {{2, 32, 15, 14}, {80, 32, 3, 3}, {1, 1}, {1, 1, 1, 1}},
    {{1, 18, 13, 14}, {21, 18, 3, 3}, {1, 1}, {1, 1, 1, 1}},
    {{1, 20, 26, 27}, {21, 20, 3, 3}, {1, 1}, {1, 1, 1, 1}},
};
const ConvCase small_fused_cases[] = {
    {{1, 3, 8, 8}, {5, 3, 3, 3}, {1, 1}, {1, 1, 1, 1}},
    {{1, 12, 6, 6}, {12, 4, 3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}, 3},
};

TEST(PanelConvolution, SumAndActivationAreFusedAndKeepNaN) {
  for (const ConvCase& c : fused_cases)
    for (const bool sum : {false, true})
      for (const auto& [activation, attributes] : activations)
        for (const bool with_nan : {false, true}) {
          if (!sum && activation.empty()) continue;
          SCOPED_TRACE(graph::to_text(c.x) + (sum ? " sum " : " ") + activation);
          auto x = random_floats(c.x, 1);
          if (with_nan) x[x.size() / 2] = nan;
          for (const bool in_place : {false, true}) {
            const Case model = fused_model(c, sum, activation, attributes, x, in_place && sum);
            expect_close(run(model, in_place && sum ? "" : "fused panels"), run(model, "reference"), length_of(c));
            if (c.filter[2] != 3 || in_place) continue;
            const char* row = c.x[2] > 20 ? "fused winograd 4" : "fused winograd";
            expect_close(run(model, row), run(model, "reference"), length_of(c));
          }
        }
}

TEST(PanelConvolution, IsFusedWithFewChannelsAndInGroups) {
  for (const ConvCase& c : small_fused_cases)
    for (const auto& [activation, attributes] : activations) {
      SCOPED_TRACE(graph::to_text(c.x) + " " + activation);
      const Case model = fused_model(c, true, activation, attributes, random_floats(c.x, 1));
      expect_close(run(model, "fused panels"), run(model, "reference"), length_of(c));
    }
}

// x and the filter in the order that data_format says; the filter's values are those of an input when not constant.
Case any_conv(const std::string& type, const std::string& format, const Shape& x, const Shape& filter,
              const Attributes& attributes, bool constant) {
  Builder b("conv");
  Attributes all = attributes;
  all["data_format"] = format;
  Case made;
  std::vector<Edge> inputs = {b.data("x", DataType::Float, x, 0)};
  made.inputs = {{x, random_floats(x, 1)}};
  if (constant)
    inputs.push_back(b.constant("w", DataType::Float, filter, random_floats(filter, 2)));
  else
    inputs.push_back(b.data("w", DataType::Float, filter, 1)),
        made.inputs.push_back({filter, random_floats(filter, 2)});
  b.outputs({b.op(type, "conv", inputs, all)});
  made.model = b.model();
  return made;
}

TEST(PanelConvolution, ThreeDimensionsAgree) {
  const Attributes attributes = {
      {"strides", Ints{1, 1, 1, 2, 1}}, {"pads", Ints{1, 0, 1, 1, 2, 1}}, {"dilations", Ints{1, 1, 2, 1, 1}}};
  for (const int64_t channels : {1, 3, 16, 20})
    for (const int threads : {1, 2}) {
      SCOPED_TRACE(channels);
      const Case model = any_conv("Conv3D", "NCDHW", {2, channels, 6, 7, 8}, {18, channels, 2, 3, 3}, attributes, true);
      expect_close(run(model, "panels", threads), run(model, "reference"), channels * 18);
    }
}

TEST(PanelConvolution, ChannelsLastInTheShapeAgree) {
  const Attributes attributes = {{"strides", Ints{1, 2, 1, 1}}, {"pads", Ints{1, 1, 0, 2}}};
  for (const int64_t channels : {3, 17, 32}) {
    SCOPED_TRACE(channels);
    const Case model = any_conv("Conv2D", "NHWC", {2, 9, 8, channels}, {3, 3, channels, 21}, attributes, true);
    expect_close(run(model, "panels"), run(model, "reference"), channels * 9);
  }
}

TEST(PanelConvolution, AFilterThatIsNotConstantIsPackedAtEachRun) {
  const Attributes attributes = {{"strides", Ints{1, 1, 1, 1}}, {"pads", Ints{1, 1, 1, 1}}};
  for (const int64_t channels : {3, 17, 32})
    for (const int threads : {1, 3}) {
      SCOPED_TRACE(channels);
      const Case model = any_conv("Conv2D", "NCHW", {1, channels, 9, 8}, {70, channels, 3, 3}, attributes, false);
      expect_close(run(model, "panels", threads), run(model, "reference"), channels * 9);
    }
}

TEST(PanelConvolution, RefusesWhatItCannotDo) {
  const auto reason = [](const ConvCase& c, const char* row) {
    LoadOptions options;
    options.only_kernels = row;
    const auto loaded = load(std::make_shared<const graph::Model>(conv_model(c).model), options);
    return loaded.ok() ? std::string("accepted") : loaded.status().message;
  };
  EXPECT_NE(reason({{0, 12, 9, 9}, {16, 12, 1, 1}}, "panels").find("empty"), std::string::npos);
  EXPECT_NE(reason({{1, 8, 40, 40}, {16, 8, 3, 3}}, "winograd").find("few channels"), std::string::npos);
  EXPECT_NE(reason({{1, 32, 40, 40}, {32, 16, 3, 3}, {1, 1}, {0, 0, 0, 0}, {1, 1}, 2}, "winograd").find("one group"),
            std::string::npos);
  EXPECT_NE(reason({{1, 16, 6, 6}, {16, 16, 3, 3}}, "winograd").find("small"), std::string::npos);
  EXPECT_NE(reason({{1, 16, 20, 20}, {16, 16, 3, 3}}, "winograd 4").find("small"), std::string::npos);
  EXPECT_NE(reason({{1, 16, 40, 40}, {16, 16, 3, 3}, {2, 2}}, "winograd").find("3 x 3"), std::string::npos);
}

}  // namespace
}  // namespace belay::executor
