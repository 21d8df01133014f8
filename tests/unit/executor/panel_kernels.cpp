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
};

const ConvCase winograd_cases[] = {
    {{1, 16, 14, 14}, {16, 16, 3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}, 1, true},
    {{1, 32, 15, 13}, {48, 32, 3, 3}, {1, 1}, {0, 0, 0, 0}},
    {{2, 16, 11, 17}, {80, 16, 3, 3}, {1, 1}, {2, 0, 1, 2}, {1, 1}, 1, true},
    {{1, 160, 14, 15}, {64, 160, 3, 3}, {1, 1}, {1, 1, 1, 1}},
    {{7, 16, 5, 5}, {144, 16, 3, 3}, {1, 1}, {1, 1, 1, 1}},
    {{1, 16, 30, 29}, {80, 16, 3, 3}, {1, 1}, {1, 1, 1, 1}},
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

TEST(WinogradConvolution, SmallWholeNumbersAreExact) {
  Case model = conv_model(winograd_cases[0]);
  for (auto& [shape, values] : model.inputs)
    for (float& value : values) value = std::round(value * 100);
  // Its weights are no whole numbers; those of the identity are: the middle of the filter sees the place itself.
  Builder b("identity");
  const Shape filter = {16, 16, 3, 3};
  std::vector<float> weights(16 * 16 * 9);
  for (size_t i = 0; i < 16; ++i) weights[(i * 16 + i) * 9 + 4] = 1;
  b.outputs(
      {b.op("Conv2D", "conv",
            {b.data("x", DataType::Float, winograd_cases[0].x, 0), b.constant("w", DataType::Float, filter, weights)},
            attributes_of(winograd_cases[0]))});
  model.model = b.model();
  EXPECT_EQ(run(model, "winograd"), model.inputs[0].second);
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

// One element that is no number, or too large, shows in those results only that depend on it.
TEST(WinogradConvolution, WildInputsStayWhereTheyBelong) {
  for (const float wild : {nan, infinity, -infinity, 3e38f})
    for (const ConvCase& c : winograd_cases) {
      SCOPED_TRACE(graph::to_text(c.x));
      Case model = conv_model(c);
      auto& x = model.inputs[0].second;
      x[x.size() / 2] = wild;
      const auto fast = run(model, "winograd", 2), plain = run(model, "reference");
      ASSERT_EQ(fast.size(), plain.size());
      for (size_t i = 0; i < fast.size(); ++i) {
        ASSERT_EQ(std::isnan(fast[i]), std::isnan(plain[i])) << i;
        if (std::isnan(plain[i])) continue;
        const double room = std::isinf(plain[i]) ? 0 : 1e-4 * std::max(1.0f, std::fabs(plain[i]));
        ASSERT_TRUE(fast[i] == plain[i] || std::fabs(fast[i] - plain[i]) <= room) << i << ": " << fast[i];
      }
    }
}

const ConvCase fused_cases[] = {
    {{1, 16, 6, 6}, {32, 16, 1, 1}},
    {{2, 32, 15, 14}, {80, 32, 3, 3}, {1, 1}, {1, 1, 1, 1}},
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
            if (c.filter[2] == 3 && !in_place)
              expect_close(run(model, "fused winograd"), run(model, "reference"), length_of(c));
          }
        }
}

TEST(PanelConvolution, RefusesWhatItCannotDo) {
  const auto reason = [](const ConvCase& c, const char* row) {
    LoadOptions options;
    options.only_kernels = row;
    const auto loaded = load(std::make_shared<const graph::Model>(conv_model(c).model), options);
    return loaded.ok() ? std::string("accepted") : loaded.status().message;
  };
  EXPECT_NE(reason({{1, 12, 9, 9}, {16, 12, 1, 1}}, "panels").find("multiples of 16"), std::string::npos);
  EXPECT_NE(reason({{1, 32, 9, 9}, {32, 16, 1, 1}, {1, 1}, {0, 0, 0, 0}, {1, 1}, 2}, "panels").find("one group"),
            std::string::npos);
  EXPECT_NE(reason({{1, 16, 6, 6}, {16, 16, 3, 3}}, "winograd").find("small"), std::string::npos);
  EXPECT_NE(reason({{1, 16, 40, 40}, {16, 16, 3, 3}, {2, 2}}, "winograd").find("3 x 3"), std::string::npos);
}

}  // namespace
}  // namespace belay::executor
