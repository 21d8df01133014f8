// SPDX-License-Identifier: Apache-2.0
// Half floats by way of the float kernels. The oracle: the reference kernels of float, given the numbers that the
// halves are, and their result rounded once.
#include <array>

#include "base/half.h"
#include "executor/compile/memory_estimate.h"
#include "unit/executor/one_node_models.h"

namespace belay::executor {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr std::array halves = {DataType::Float16, DataType::BFloat16};

uint16_t bits_of(DataType type, float value) {
  return type == DataType::Float16 ? float_to_half(value) : float_to_bf16(value);
}
float value_of(DataType type, uint16_t bits) {
  return type == DataType::Float16 ? half_to_float(bits) : bf16_to_float(bits);
}
std::vector<uint16_t> narrow(DataType type, std::span<const float> values) {
  std::vector<uint16_t> bits;
  for (const float value : values) bits.push_back(bits_of(type, value));
  return bits;
}
std::vector<float> rounded(DataType type, std::span<const float> values) {
  std::vector<float> floats;
  for (const float value : values) floats.push_back(value_of(type, bits_of(type, value)));
  return floats;
}

// A constant's values as the half type has them, as floats or in that type.
graph::Constant rounded(DataType type, const graph::Constant& constant, bool as_halves) {
  const std::span values(reinterpret_cast<const float*>(constant.bytes.data()), constant.bytes.size() / sizeof(float));
  if (as_halves) return graph::make_constant(type, constant.shape, narrow(type, values));
  return graph::make_constant(DataType::Float, constant.shape, rounded(type, values));
}

void round_values(DataType type, graph::Graph& graph, bool as_halves) {
  for (graph::Node& node : graph.nodes) {
    if (auto* value = std::get_if<graph::Constant>(&node.attributes["value"].value);
        value && value->type == DataType::Float)
      *value = rounded(type, *value, as_halves);
    if (auto* members =
            std::get_if<std::shared_ptr<graph::Graph>>(&node.attributes[std::string(graph::kMembers)].value))
      round_values(type, **members, as_halves);
    std::erase_if(node.attributes, [](const auto& a) { return a.second.value.index() == 0; });
    for (auto* descs : {&node.input_descs, &node.outputs})
      for (graph::TensorDesc& desc : *descs)
        if (desc.type == DataType::Float && as_halves) desc.type = type;
  }
}

// The model again, with members of its own.
Case copy_of(const Case& c) {
  Case copy = c;
  for (graph::Node& node : copy.model.main().nodes)
    if (const auto* members = graph::get_if<std::shared_ptr<graph::Graph>>(node.attributes, graph::kMembers))
      node.attributes[std::string(graph::kMembers)] = std::make_shared<graph::Graph>(**members);
  return copy;
}

// A float case computed in a half type.
std::vector<float> run_half(const Case& floats, DataType type, const std::string& kernels, int threads = 1) {
  Case c = copy_of(floats);
  round_values(type, c.model.main(), true);
  LoadOptions options;
  options.threads = threads;
  options.only_kernels = kernels;
  auto loaded = load(std::make_shared<const graph::Model>(c.model), options);
  EXPECT_TRUE(loaded.ok()) << loaded.status().message;
  if (!loaded.ok()) return {};
  std::vector<std::vector<uint16_t>> memory;
  std::vector<Tensor> taken;
  for (const auto& [shape, values] : c.inputs) {
    memory.push_back(narrow(type, values));
    taken.push_back({type, shape, backend::Layout::Plain, memory.back().data()});
  }
  std::vector<Tensor> given(1);
  const Status status = (*loaded)->run({}, taken, given);
  EXPECT_TRUE(status.ok()) << status.message;
  if (!status.ok()) return {};
  EXPECT_EQ(given[0].type, type);
  std::vector<float> result;
  for (int64_t i = 0; i < given[0].count(); ++i) result.push_back(value_of(type, given[0].as<uint16_t>()[i]));
  std::free(given[0].data);
  return result;
}

std::vector<float> expected(const Case& floats, DataType type) {
  Case c = copy_of(floats);
  round_values(type, c.model.main(), false);
  for (auto& [shape, values] : c.inputs) values = rounded(type, values);
  return rounded(type, run(c, "reference"));
}

// What float sums of `length` products may differ by, and then one step of the half type.
void expect_near(DataType type, const std::vector<float>& fast, const std::vector<float>& reference, int64_t length) {
  const double sums = std::ldexp(static_cast<double>(length + 8), -23),
               step = type == DataType::Float16 ? 0x1p-10 : 0x1p-7;
  ASSERT_EQ(fast.size(), reference.size());
  for (size_t i = 0; i < fast.size(); ++i) {
    const double magnitude = std::fabs(reference[i]);
    if (std::isnan(reference[i]))
      ASSERT_TRUE(std::isnan(fast[i])) << "element " << i << " is " << fast[i];
    else if (std::isinf(reference[i]))
      ASSERT_EQ(fast[i], reference[i]) << "element " << i;
    else
      ASSERT_NEAR(fast[i], reference[i], sums * std::max(1.0, magnitude) + step * magnitude) << "element " << i;
  }
}

void expect_agrees(const Case& c, const std::string& kernels, int64_t length) {
  for (const DataType type : halves) {
    SCOPED_TRACE(graph::name_of(type));
    const auto oracle = expected(c, type);
    for (const int threads : {1, 2}) {
      const auto fast = run_half(c, type, kernels, threads);
      expect_near(type, fast, oracle, length);
      const auto again = run_half(c, type, kernels, threads);
      EXPECT_EQ(narrow(type, fast), narrow(type, again)) << "another run";
    }
  }
}

// Panels, Winograd's; with groups, depth-wise, with a bias, with few channels.
const ConvCase conv_cases[] = {
    {{1, 3, 17, 19}, {8, 3, 7, 7}, {2, 2}, {3, 3, 3, 3}},
    {{1, 16, 9, 9}, {16, 16, 1, 1}, {1, 1}, {0, 0, 0, 0}, {1, 1}, 1, true},
    {{1, 16, 14, 14}, {16, 16, 3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}, 1, true},
    {{3, 32, 8, 11}, {32, 32, 3, 3}, {1, 2}, {1, 0, 2, 1}},
    {{1, 24, 12, 12}, {24, 1, 3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}, 24, true},
    {{1, 12, 7, 7}, {18, 4, 3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}, 3},
    {{5, 2, 4, 4}, {3, 2, 4, 4}},
};

TEST(WidenedConvolution, AgreesWithTheReferenceRoundedOnce) {
  for (const ConvCase& c : conv_cases) {
    SCOPED_TRACE("x " + graph::to_text(c.x) + " filter " + graph::to_text(c.filter));
    expect_agrees(conv_model(c), "widened", length_of(c));
  }
}

TEST(WidenedConvolution, AgreesWithTheReferenceOfTheHalfType) {
  for (const ConvCase& c : conv_cases)
    for (const DataType type : halves)
      expect_near(type, run_half(conv_model(c), type, "widened"), run_half(conv_model(c), type, "reference"),
                  length_of(c));
}

TEST(WidenedConvolution, NaNsAndInfinitiesStayWhereTheyBelong) {
  for (const float wild : {nan, infinity, -infinity})
    for (const ConvCase& c : conv_cases) {
      SCOPED_TRACE("x " + graph::to_text(c.x) + " filter " + graph::to_text(c.filter));
      Case model = conv_model(c);
      auto& x = model.inputs[0].second;
      x[x.size() / 2] = wild;
      expect_agrees(model, "widened", length_of(c));
    }
}

TEST(WidenedConvolution, AnEmptyBatchHasAnEmptyResult) {
  for (const DataType type : halves) EXPECT_TRUE(run_half(conv_model({{0, 3, 8, 8}, {4, 3, 3, 3}}), type, "").empty());
}

const ConvCase same_size[] = {
    {{1, 16, 6, 6}, {32, 16, 1, 1}},
    {{2, 24, 7, 7}, {24, 24, 3, 3}, {1, 1}, {1, 1, 1, 1}},
    {{1, 40, 7, 7}, {40, 1, 5, 5}, {1, 1}, {2, 2, 2, 2}, {1, 1}, 40},
};

TEST(WidenedFusedConvolution, IsRoundedOnceAtTheEnd) {
  const std::pair<std::string, Attributes> activations[] = {
      {"", {}}, {"Relu", {}}, {"LeakyRelu", {{"negative_slope", 0.1f}}}, {"Sigmoid", {}}, {"HardSwish", {}}};
  for (const ConvCase& c : same_size)
    for (const auto& [activation, attributes] : activations)
      for (const bool sum : {false, true}) {
        if (!sum && activation.empty()) continue;
        SCOPED_TRACE(graph::to_text(c.x) + (sum ? " sum " : " ") + activation);
        expect_agrees(fused_model(c, sum, activation, attributes, random_floats(c.x, 1)), "fused widened",
                      length_of(c));
      }
}

// The addend is widened into the result's memory; when the NaN is met it must be there again.
TEST(WidenedFusedConvolution, DoesNotHideANaN) {
  for (const ConvCase& c : same_size)
    for (const bool made_here : {false, true}) {
      SCOPED_TRACE(graph::to_text(c.x));
      auto x = random_floats(c.x, 1);
      x[x.size() / 2] = nan;
      expect_agrees(fused_model(c, true, "Relu", {}, x, made_here), "", length_of(c));
    }
}

// One place of one channel: 2048 + 1 lies between two halves. Rounded there, the sum with 1 would be 2048.
TEST(WidenedFusedConvolution, ASumThatWouldBeLostBetweenIsKept) {
  Builder inner("members");
  const Shape x = {1, 2, 1, 1}, w = {1, 2, 1, 1}, y = {1, 1, 1, 1};
  const Edge head = inner.op(
      "Conv2D", "head", {inner.data("__input0", DataType::Float, x, 0), inner.data("__input1", DataType::Float, w, 1)},
      attributes_of({x, w}));
  inner.outputs({inner.op("Add", "sum", {head, inner.data("__input2", DataType::Float, y, 2)})});
  Builder b("fused");
  const Edge fused =
      b.op("Conv2D", "head_sum",
           {b.data("x", DataType::Float, x, 0), b.constant("w", DataType::Float, w, std::vector<float>{1, 1}),
            b.constant("other", DataType::Float, y, std::vector<float>{1})},
           {{std::string(graph::kMembers), std::make_shared<graph::Graph>(inner.take())}});
  b.outputs({fused});
  const Case model{b.model(), {{x, {2048, 1}}}};
  EXPECT_EQ(run_half(model, DataType::Float16, "fused widened"), std::vector<float>{2050});
}

// A constant that is added must come in the layout of the result.
TEST(WidenedFusedConvolution, AddsAConstantInTheLayoutOfTheResult) {
  const ConvCase c = {{1, 16, 6, 6}, {32, 16, 1, 1}};
  Case model = fused_model(c, true, "Relu", {}, random_floats(c.x, 1));
  const auto addend = model.inputs.back();
  model.inputs.pop_back();
  for (graph::Node& node : model.model.main().nodes)
    if (node.name == "other") {
      node.type = "Const";
      node.attributes = {{"value", graph::make_constant(DataType::Float, addend.first, addend.second)}};
      node.inputs.clear();
      node.input_descs.clear();
    }
  expect_agrees(model, "fused widened", length_of(c));
}

Case product_model(const Shape& a, const Shape& b_shape, bool constant, std::vector<float> values) {
  Builder b("product");
  Case model;
  model.inputs = {{a, std::move(values)}};
  const Edge x = b.data("a", DataType::Float, a, 0);
  if (!constant) model.inputs.push_back({b_shape, random_floats(b_shape, 2)});
  const Edge y = constant ? b.constant("b", DataType::Float, b_shape, random_floats(b_shape, 2))
                          : b.data("b", DataType::Float, b_shape, 1);
  b.outputs({b.op("BatchMatMulV2", "product", {x, y})});
  model.model = b.model();
  return model;
}

TEST(WidenedProduct, AgreesWithTheReferenceRoundedOnce) {
  const std::pair<Shape, Shape> shapes[] = {
      {{7, 33}, {33, 17}}, {{1, 256}, {256, 256}}, {{2, 3, 5, 8}, {8, 4}}, {{2, 3, 5, 8}, {2, 3, 8, 4}}};
  for (const auto& [a, b] : shapes)
    for (const bool constant : {true, false}) {
      SCOPED_TRACE(graph::to_text(a) + " * " + graph::to_text(b));
      expect_agrees(product_model(a, b, constant, random_floats(a, 1)), "widened", a.back());
    }
}

TEST(WidenedProduct, AnEmptySumIsZero) {
  for (const DataType type : halves)
    EXPECT_EQ(run_half(product_model({2, 0}, {0, 1}, false, {}), type, ""), (std::vector<float>{0, 0}));
}

// 2048 and six times 1: sums in half floats would stay at 2048. 70000 is more than a half float holds.
TEST(WidenedProduct, SumsAreNotHalfFloats) {
  Builder b("product");
  const Shape a = {2, 7}, ones = {7, 1};
  b.outputs({b.op(
      "MatMulV2", "product",
      {b.data("a", DataType::Float, a, 0), b.constant("ones", DataType::Float, ones, std::vector<float>(7, 1))})});
  const Case model{b.model(), {{a, {2048, 1, 1, 1, 1, 1, 1, 10000, 10000, 10000, 10000, 10000, 10000, 10000}}}};
  EXPECT_EQ(run_half(model, DataType::Float16, "widened"), (std::vector<float>{2054, infinity}));
}

TEST(WidenedPooling, AgreesWithTheReferenceRoundedOnce) {
  for (const std::string op : {"MaxPoolV3", "AvgPoolV2", "GlobalAveragePool", "GlobalMaxPool"})
    for (const float wild : {0.0f, nan, infinity}) {
      SCOPED_TRACE(op);
      const Shape shape = {2, 5, 8, 7};
      auto x = random_floats(shape, 1);
      x[x.size() / 2] = wild;
      Builder b("pool");
      b.outputs({b.op(op, "pool", {b.data("x", DataType::Float, shape, 0)},
                      {{"ksize", Ints{1, 1, 3, 3}},
                       {"strides", Ints{1, 1, 2, 2}},
                       {"padding_mode", std::string("CALCULATED")},
                       {"pads", Ints{1, 1, 1, 1}},
                       {"data_format", std::string("NCHW")}})});
      expect_agrees({b.model(), {{shape, x}}}, "widened", 56);
    }
}

// Along axes that the rows of floats do and those of halves do not.
TEST(WidenedAxes, AgreeWithTheReferenceRoundedOnce) {
  const Shape shape = {3, 20, 35};
  const std::pair<std::string, Attributes> ops[] = {{"SoftmaxV2", {{"axes", Ints{1}}}},
                                                    {"ReduceMeanD", {{"axes", Ints{1}}, {"keep_dims", false}}},
                                                    {"ReduceMaxD", {{"axes", Ints{1}}, {"keep_dims", false}}}};
  for (const auto& [op, attributes] : ops) {
    SCOPED_TRACE(op);
    Builder b("axes");
    b.outputs({b.op(op, "op", {b.data("x", DataType::Float, shape, 0)}, attributes)});
    expect_agrees({b.model(), {{shape, random_floats(shape, 1)}}}, "widened", 20);
  }
}

// Functions of one number: rounded once they have one result only.
TEST(WidenedReference, HasTheBitsOfTheReferenceOfTheHalfType) {
  const Shape shape = {3, 7, 11};
  auto x = random_floats(shape, 1);
  for (float& value : x) value *= 100;
  x[3] = nan, x[4] = infinity, x[5] = -infinity, x[6] = -0.0f, x[7] = 1e-7f;
  for (const std::string op : {"Round", "Sign", "Sin", "Atan", "Softsign", "Softplus", "Selu", "Trunc"})
    for (const DataType type : halves) {
      SCOPED_TRACE(op);
      Builder b("map");
      b.outputs({b.op(op, "op", {b.data("x", DataType::Float, shape, 0)})});
      const Case model{b.model(), {{shape, x}}};
      EXPECT_EQ(narrow(type, run_half(model, type, "widened")), narrow(type, run_half(model, type, "reference")));
    }
}

TEST(WidenedReference, ResizesAsTheReferenceRoundedOnce) {
  const Shape shape = {1, 3, 5, 6};
  Builder b("resize");
  b.outputs({b.op(
      "ResizeBilinearV2", "op",
      {b.data("x", DataType::Float, shape, 0), b.constant("size", DataType::Int32, {2}, std::vector<int32_t>{9, 8})},
      {{"half_pixel_centers", true}, {"data_format", std::string("NCHW")}})});
  expect_agrees({b.model(), {{shape, random_floats(shape, 1)}}}, "widened", 4);
}

TEST(WidenedRecurrent, AgreesWithTheReferenceRoundedOnce) {
  for (const std::string op : {"CommonLSTM", "CommonGRU"})
    for (const int64_t batch : {2, 12}) {
      SCOPED_TRACE(op);
      const int64_t rows = (op == "CommonLSTM" ? 4 : 3) * 16;
      const Shape x = {5, batch, 7}, w = {1, rows, 7}, r = {1, rows, 16};
      Builder b("recurrent");
      b.outputs(
          {b.op(op, "layer",
                {b.data("x", DataType::Float, x, 0), b.constant("w", DataType::Float, w, random_floats(w, 2)),
                 b.constant("r", DataType::Float, r, random_floats(r, 3))},
                {{"hidden_size", int64_t{16}}, {"direction", std::string("forward")}}, op == "CommonLSTM" ? 3 : 2)});
      expect_agrees({b.model(), {{x, random_floats(x, 1)}}}, "widened", 64);
    }
}

// A program that brings the memory that aclmdlQuerySize asks for shall be able to use it.
TEST(WidenedNetwork, ItsScratchIsPartOfTheMemoryThatIsAskedFor) {
  Case c = conv_model({{1, 16, 112, 112}, {16, 16, 1, 1}});
  round_values(DataType::Float16, c.model.main(), true);
  const auto loaded = load(std::make_shared<const graph::Model>(c.model), {.threads = 1});
  ASSERT_TRUE(loaded.ok()) << loaded.status().message;
  const size_t floats = 2 * 16 * 112 * 112 * sizeof(float);  // x and y
  EXPECT_GE((*loaded)->work_bytes(), floats);
  const auto estimate = estimate_memory(c.model);
  ASSERT_TRUE(estimate.ok()) << estimate.status().message;
  EXPECT_GE((*estimate).work_bytes, floats);
}

// Layouts between the nodes, and a result that takes over an input's memory.
TEST(WidenedNetwork, AgreesWithTheReferenceWhateverTheLayouts) {
  for (const int64_t channels : {16, 24}) {
    Builder b("net");
    const Shape image = {2, 3, 16, 16}, first = {channels, 3, 3, 3}, third = {32, 2 * channels, 1, 1};
    const auto conv = [&](const std::string& name, Edge x, const Shape& filter, int64_t pad) {
      return b.op("Conv2D", name, {x, b.constant(name + "w", DataType::Float, filter, random_floats(filter, 4))},
                  attributes_of({{}, filter, {1, 1}, {pad, pad, pad, pad}}));
    };
    const Edge y = b.op("Relu", "relu", {conv("first", b.data("x", DataType::Float, image, 0), first, 1)});
    const Edge gate = b.op("Sigmoid", "gate", {b.op("GlobalAveragePool", "mean", {y})});
    const Edge joined =
        b.op("ConcatV2", "joined", {y, b.op("Mul", "scaled", {y, gate}), b.scalar("axis", 1)}, {{"N", int64_t{2}}});
    const Edge z = b.op("GlobalAveragePool", "end", {conv("third", joined, third, 0)});
    b.outputs({b.op("Reshape", "flat", {z, b.ints("shape", {2, 32})})});
    const Case model{b.model(), {{image, random_floats(image, 1)}}};
    for (const DataType type : halves) {
      const auto fast = run_half(model, type, "");
      const auto reference = run_half(model, type, "reference");
      ASSERT_EQ(fast.size(), reference.size());
      // Each of the tensors between may be a step apart.
      for (size_t i = 0; i < fast.size(); ++i)
        EXPECT_NEAR(fast[i], reference[i], type == DataType::Float16 ? 0x1p-8 : 0x1p-5);
      EXPECT_EQ(fast, run_half(model, type, ""));
    }
  }
}

}  // namespace
}  // namespace belay::executor
