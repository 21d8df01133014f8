// SPDX-License-Identifier: Apache-2.0
// The reference kernels are the oracle of the fast ones: one-node models run with either, over tables of shapes.
#include "unit/executor/one_node_models.h"

namespace belay::executor {
namespace {

const ConvCase conv_cases[] = {
    {{1, 3, 17, 19}, {8, 3, 7, 7}, {2, 2}, {3, 3, 3, 3}},
    {{1, 16, 9, 9}, {16, 16, 1, 1}, {1, 1}, {0, 0, 0, 0}, {1, 1}, 1, true},
    {{2, 24, 14, 14}, {40, 24, 1, 1}, {2, 2}},
    {{1, 7, 6, 5}, {5, 7, 3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}, 1, true},
    {{3, 32, 8, 11}, {32, 32, 3, 3}, {1, 2}, {1, 0, 2, 1}},
    {{1, 32, 15, 15}, {16, 32, 5, 5}, {1, 1}, {2, 2, 2, 2}},
    {{1, 16, 20, 20}, {16, 16, 3, 3}, {1, 1}, {2, 2, 2, 2}, {2, 2}, 1, true},
    {{1, 24, 12, 12}, {24, 1, 3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}, 24, true},
    {{2, 72, 10, 10}, {72, 1, 5, 5}, {2, 2}, {2, 2, 2, 2}, {1, 1}, 72},
    {{1, 12, 7, 7}, {18, 4, 3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}, 3},
    {{1, 32, 7, 7}, {64, 16, 3, 3}, {1, 1}, {0, 1, 1, 0}, {1, 1}, 2, true},
    {{1, 1, 32, 40}, {32, 1, 3, 3}, {1, 1}, {1, 1, 1, 1}},
    {{1, 120, 1, 1}, {30, 120, 1, 1}, {1, 1}, {0, 0, 0, 0}, {1, 1}, 1, true},
    {{5, 2, 4, 4}, {3, 2, 4, 4}},
};

TEST(FastConvolution, AgreesWithTheReference) {
  for (const ConvCase& c : conv_cases) {
    SCOPED_TRACE("x " + graph::to_text(c.x) + " filter " + graph::to_text(c.filter));
    const Case model = conv_model(c);
    expect_close(run(model, ""), run(model, "reference"), length_of(c));
  }
}

TEST(FastConvolution, GivesTheSameBitsAtEachRunWithAnyNumberOfThreads) {
  for (const ConvCase& c : conv_cases) {
    SCOPED_TRACE("x " + graph::to_text(c.x) + " filter " + graph::to_text(c.filter));
    const Case model = conv_model(c);
    for (const int threads : {1, 2, 3}) EXPECT_EQ(run(model, "", threads), run(model, "", 1));
  }
}

TEST(FastConvolution, AnEmptyBatchIsLeftToTheReference) {
  const Case model = conv_model({{0, 3, 8, 8}, {4, 3, 3, 3}});
  EXPECT_TRUE(run(model, "").empty());
}

const ConvCase same_size[] = {
    {{1, 16, 6, 6}, {32, 16, 1, 1}},
    {{2, 24, 7, 7}, {24, 24, 3, 3}, {1, 1}, {1, 1, 1, 1}},
    {{1, 40, 7, 7}, {40, 1, 5, 5}, {1, 1}, {2, 2, 2, 2}, {1, 1}, 40},
    {{1, 3, 8, 8}, {5, 3, 3, 3}, {1, 1}, {1, 1, 1, 1}},
};

TEST(FusedConvolution, AgreesWithItsMembersOneByOne) {
  for (const ConvCase& c : same_size)
    for (const auto& [activation, attributes] : activations)
      for (const bool sum : {false, true}) {
        if (!sum && activation.empty()) continue;
        SCOPED_TRACE(graph::to_text(c.x) + (sum ? " sum " : " ") + activation);
        const Case model = fused_model(c, sum, activation, attributes, random_floats(c.x, 1));
        expect_close(run(model, ""), run(model, "reference"), length_of(c));
      }
}

// A processor's maximum may drop NaN; a user who looks for the first NaN must still find it.
TEST(FusedConvolution, DoesNotHideANaN) {
  for (const ConvCase& c : same_size)
    for (const auto& [activation, attributes] : activations)
      for (const int threads : {1, 2}) {
        if (activation.empty()) continue;
        SCOPED_TRACE(graph::to_text(c.x) + " " + activation);
        auto x = random_floats(c.x, 1);
        x[x.size() / 2] = nan;
        const Case model = fused_model(c, true, activation, attributes, x);
        expect_close(run(model, "", threads), run(model, "reference"), length_of(c));
      }
}

// The result takes over the memory of a tensor that nobody else needs; when the NaN is met, it is gone.
TEST(FusedConvolution, FindsANaNAlsoWhereItOverwroteWhatItAdds) {
  for (const ConvCase& c : same_size)
    for (const int threads : {1, 2}) {
      SCOPED_TRACE(graph::to_text(c.x));
      auto x = random_floats(c.x, 1);
      x[x.size() / 2] = nan;
      const Case model = fused_model(c, true, "Relu", {}, x, true);
      const auto fast = run(model, "", threads);
      expect_close(fast, run(model, "reference"), length_of(c));
    }
}

struct TransposeCase {
  Shape x, filter;  // N C H W; input, output of a group, H, W
  Ints stride = {1, 1}, pads = {0, 0, 0, 0}, output_padding = {0, 0}, dilation = {1, 1};
  int64_t groups = 1;
};

TEST(FastTransposedConvolution, AgreesWithTheReference) {
  const TransposeCase cases[] = {
      {{1, 16, 5, 5}, {16, 8, 2, 2}, {2, 2}},
      {{2, 6, 4, 7}, {6, 5, 3, 3}, {1, 1}, {1, 1, 1, 1}},
      {{1, 32, 6, 6}, {32, 16, 4, 4}, {2, 2}, {1, 1, 1, 1}},
      {{1, 16, 6, 6}, {16, 16, 3, 3}, {2, 2}, {1, 1, 1, 1}, {1, 1}},
      {{1, 8, 6, 6}, {8, 2, 3, 3}, {1, 1}, {0, 0, 0, 0}, {0, 0}, {2, 2}, 4},
      {{1, 16, 3, 9}, {16, 16, 3, 5}, {3, 1}, {0, 1, 2, 0}},
      {{3, 5, 4, 3}, {5, 17, 2, 2}, {3, 3}},                                  // places that no tap reaches
      {{1, 33, 2, 2}, {33, 70, 3, 3}, {2, 2}, {1, 1, 1, 1}, {0, 1}},          // two panels
      {{1, 1, 1, 1}, {1, 1, 5, 4}, {2, 3}, {1, 0, 0, 1}},                     // one pixel
      {{2, 6, 5, 5}, {6, 3, 3, 3}, {2, 2}, {2, 2, 2, 2}, {1, 1}, {3, 3}, 2},  // taps of one phase only
      {{1, 4, 6, 6}, {4, 1, 4, 4}, {2, 2}, {1, 1, 1, 1}, {0, 0}, {1, 1}, 4},  // a channel each
  };
  for (const TransposeCase& c : cases)
    for (const int threads : {1, 3}) {
      SCOPED_TRACE("x " + graph::to_text(c.x) + " filter " + graph::to_text(c.filter));
      Builder b("transposed");
      Ints size;
      for (size_t i = 0; i < 2; ++i)
        size.push_back((c.x[i + 2] - 1) * c.stride[i] + (c.filter[i + 2] - 1) * c.dilation[i] + 1 - c.pads[2 * i] -
                       c.pads[2 * i + 1] + c.output_padding[i]);
      const Attributes attributes = {{"strides", Ints{1, 1, c.stride[0], c.stride[1]}},
                                     {"pads", c.pads},
                                     {"dilations", Ints{1, 1, c.dilation[0], c.dilation[1]}},
                                     {"groups", c.groups},
                                     {"output_padding", Ints{0, 0, c.output_padding[0], c.output_padding[1]}},
                                     {"data_format", std::string("NCHW")}};
      const Shape y = {c.x[0], c.filter[1] * c.groups, size[0], size[1]};
      b.outputs({b.op("Conv2DTranspose", "up",
                      {b.ints("size", y), b.data("x", DataType::Float, c.x, 0),
                       b.constant("w", DataType::Float, c.filter, random_floats(c.filter, 2))},
                      attributes)});
      const Case model{b.model(), {{c.x, random_floats(c.x, 1)}}};
      expect_close(run(model, "phases", threads), run(model, "reference"), c.filter[0] * c.filter[2] * c.filter[3]);
    }
}

struct ProductCase {
  Shape a, b;
  bool transpose_a = false, transpose_b = false, constant = true, bias = false;
};

TEST(FastProduct, AgreesWithTheReference) {
  const ProductCase cases[] = {
      {{1, 64}, {64, 10}},
      {{7, 33}, {33, 17}, false, false, true, true},
      {{128, 96}, {200, 96}, false, true, true, true},
      {{20, 6}, {20, 9}, true, false},
      {{2, 3, 5, 8}, {8, 4}},
      {{2, 3, 5, 8}, {2, 3, 8, 4}, false, false, false},
      {{2, 3, 5, 8}, {3, 4, 8}, false, true, false},
      {{4, 1, 5, 8}, {1, 3, 8, 6}, false, false, false},
      {{3, 8, 5}, {3, 6, 8}, true, true, false},
      {{1, 12, 16, 64}, {1, 12, 64, 16}, false, false, true},
  };
  for (const ProductCase& c : cases) {
    SCOPED_TRACE(graph::to_text(c.a) + " * " + graph::to_text(c.b));
    Builder b("product");
    Case model;
    model.inputs = {{c.a, random_floats(c.a, 1)}};
    std::vector<Edge> inputs = {b.data("a", DataType::Float, c.a, 0)};
    if (c.constant) {
      inputs.push_back(b.constant("b", DataType::Float, c.b, random_floats(c.b, 2)));
    } else {
      inputs.push_back(b.data("b", DataType::Float, c.b, 1));
      model.inputs.push_back({c.b, random_floats(c.b, 2)});
    }
    const int64_t columns = c.transpose_b ? c.b.end()[-2] : c.b.back();
    if (c.bias) inputs.push_back(b.constant("bias", DataType::Float, {columns}, random_floats({columns}, 3)));
    b.outputs({b.op("BatchMatMulV2", "product", inputs, {{"adj_x1", c.transpose_a}, {"adj_x2", c.transpose_b}})});
    model.model = b.model();
    expect_close(run(model, "panels"), run(model, "reference"), c.transpose_a ? c.a.end()[-2] : c.a.back());
  }
}

struct PoolCase {
  std::string op;
  Shape x;
  Ints kernel, stride, pads;
  bool flag = false;  // ceil_mode, or counts the padding
};

Case pool_model(const PoolCase& c, std::vector<float> x) {
  Attributes attributes = {{"ksize", Ints{1, 1, c.kernel[0], c.kernel[1]}},
                           {"strides", Ints{1, 1, c.stride[0], c.stride[1]}},
                           {"padding_mode", std::string("CALCULATED")},
                           {"pads", c.pads},
                           {"data_format", std::string("NCHW")}};
  attributes["ceil_mode"] = c.flag;
  if (c.op == "AvgPoolV2") attributes["exclusive"] = c.flag;
  Builder b("pool");
  b.outputs({b.op(c.op, "pool", {b.data("x", DataType::Float, c.x, 0)}, attributes)});
  return {b.model(), {{c.x, std::move(x)}}};
}

const PoolCase pool_cases[] = {
    {"MaxPoolV3", {1, 16, 9, 9}, {3, 3}, {2, 2}, {1, 1, 1, 1}},
    {"MaxPoolV3", {2, 5, 8, 7}, {2, 2}, {2, 2}, {0, 0, 0, 0}, true},
    {"MaxPoolV3", {1, 24, 6, 20}, {2, 1}, {2, 1}, {0, 0, 0, 0}},
    {"AvgPoolV2", {1, 16, 9, 9}, {3, 3}, {2, 2}, {1, 1, 1, 1}, true},
    {"AvgPoolV2", {2, 7, 8, 8}, {2, 2}, {2, 2}, {0, 0, 0, 0}, false},
    {"AvgPoolV2", {1, 3, 8, 8}, {3, 3}, {1, 1}, {1, 0, 1, 1}, false},
};

TEST(FastPooling, AgreesWithTheReference) {
  for (const PoolCase& c : pool_cases) {
    SCOPED_TRACE(c.op + " " + graph::to_text(c.x));
    const Case model = pool_model(c, random_floats(c.x, 1));
    expect_close(run(model, "simd"), run(model, "reference"), c.kernel[0] * c.kernel[1]);
  }
}

TEST(FastPooling, AMaximumWithANaNIsNaN) {
  for (const PoolCase& c : pool_cases)
    for (const int threads : {1, 2}) {
      SCOPED_TRACE(c.op + " " + graph::to_text(c.x));
      auto x = random_floats(c.x, 1);
      x[x.size() / 2] = nan;
      const Case model = pool_model(c, x);
      expect_close(run(model, "simd", threads), run(model, "reference"), c.kernel[0] * c.kernel[1]);
    }
}

// Convolutions, a sum that broadcasts, a join and a global pool: the layouts in between are the executor's.
TEST(FastNetwork, AgreesWithTheReferenceWhateverTheLayouts) {
  for (const int64_t channels : {16, 24}) {
    Builder b("net");
    const Shape image = {2, 3, 16, 16}, first = {channels, 3, 3, 3}, second = {32, channels, 1, 1};
    const auto conv = [&](const std::string& name, Edge x, const Shape& filter, int64_t pad) {
      ConvCase c{{}, filter, {1, 1}, {pad, pad, pad, pad}};
      return b.op("Conv2D", name, {x, b.constant(name + "w", DataType::Float, filter, random_floats(filter, 4))},
                  attributes_of(c));
    };
    const Edge x = b.data("x", DataType::Float, image, 0);
    const Edge y = b.op("Relu", "relu", {conv("first", x, first, 1)});
    const Edge gate = b.op("Sigmoid", "gate", {b.op("GlobalAveragePool", "mean", {y})});
    const Edge scaled = b.op("Mul", "scaled", {y, gate});
    const Edge joined = b.op("ConcatV2", "joined", {y, scaled, b.scalar("axis", 1)}, {{"N", int64_t{2}}});
    Shape third = second;
    third[1] = 2 * channels;
    const Edge z = conv("third", joined, third, 0);
    b.outputs({b.op("Reshape", "flat", {b.op("GlobalAveragePool", "end", {z}), b.ints("shape", {2, 32})})});
    const Case model{b.model(), {{image, random_floats(image, 1)}}};
    const auto fast = run(model, "");
    expect_close(fast, run(model, "reference"), 27 * 2 * channels);
    EXPECT_EQ(fast, run(model, ""));
  }
}

TEST(FastRecurrent, AgreesWithTheReference) {
  struct RecurrentCase {
    std::string op, direction;
    int64_t steps, batch, input, hidden;
    bool bias, linear_before_reset = false;
  };
  const RecurrentCase cases[] = {
      {"CommonLSTM", "forward", 7, 1, 5, 6, true},       {"CommonLSTM", "bidirectional", 3, 12, 5, 6, true},
      {"CommonLSTM", "reverse", 4, 3, 8, 16, false},     {"CommonLSTM", "bidirectional", 5, 2, 3, 9, true},
      {"CommonGRU", "forward", 6, 2, 7, 5, true},        {"CommonGRU", "bidirectional", 3, 1, 4, 16, true, true},
      {"CommonGRU", "reverse", 3, 4, 4, 4, false, true},
  };
  for (const RecurrentCase& c : cases) {
    SCOPED_TRACE(c.op + " " + c.direction);
    const int64_t directions = c.direction == "bidirectional" ? 2 : 1, rows = (c.op == "CommonLSTM" ? 4 : 3) * c.hidden;
    Builder b("recurrent");
    const Shape x = {c.steps, c.batch, c.input}, w = {directions, rows, c.input}, r = {directions, rows, c.hidden};
    std::vector<Edge> inputs = {b.data("x", DataType::Float, x, 0),
                                b.constant("w", DataType::Float, w, random_floats(w, 2)),
                                b.constant("r", DataType::Float, r, random_floats(r, 3))};
    const Shape bias = {directions, 2 * rows};
    if (c.bias) inputs.push_back(b.constant("b", DataType::Float, bias, random_floats(bias, 4)));
    const Attributes attributes = {
        {"direction", c.direction}, {"hidden_size", c.hidden}, {"linear_before_reset", int64_t{c.linear_before_reset}}};
    const Edge y = b.op(c.op, "layer", inputs, attributes, c.op == "CommonLSTM" ? 3 : 2);
    b.outputs({y});
    const Case model{b.model(), {{x, random_floats(x, 1)}}};
    expect_close(run(model, "panels"), run(model, "reference"), c.steps * (c.input + c.hidden));
  }
}

}  // namespace
}  // namespace belay::executor
