// SPDX-License-Identifier: Apache-2.0
// The vector kernels against the reference kernels: types, shapes, layouts, threads.
#include <random>

#include "backend/layout.h"
#include "support/op_call.h"

namespace belay::test {
namespace {

using Numbers = std::vector<double>;

Value random(DataType type, const Shape& shape, uint32_t seed, double low = -3, double high = 3) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> draw(low, high);
  Numbers all(static_cast<size_t>(graph::element_count(shape)));
  for (double& number : all) number = draw(generator);
  return tensor(type, shape, all);
}

double tolerance(DataType type) { return type == DataType::Float ? 1e-6 : type == DataType::Float16 ? 1.1e-3 : 8.1e-3; }

// The vector row gives what the reference row gives, on one thread and on three.
void expect_same(OpCall call, double relative) {
  call.how = "reference";
  const Numbers want = numbers(call);
  call.how = "simd";
  expect_near(numbers(call), want, relative);
  const Numbers once = numbers(call);
  call.threads = 3;
  expect_near(numbers(call), once, 0);
}

struct Pair {
  Shape x, y;
};
const Pair pairs[] = {
    {{5}, {5}},
    {{1000}, {1}},
    {{}, {37}},
    {{2, 3, 40}, {40}},
    {{2, 3, 40}, {3, 1}},
    {{4, 1, 5}, {3, 1}},
    {{2, 16, 3, 5}, {1, 16, 1, 1}},
    {{2, 16, 3, 5}, {2, 16, 1, 1}},
    {{2, 16, 3, 5}, {2, 1, 3, 5}},
    {{1, 1, 1, 5}, {2, 16, 3, 5}},
    {{3, 50000}, {50000}},
    {{0, 3}, {3}},
};

TEST(SimdCombine, AgreesWithTheReferenceForAllShapesAndTypes) {
  for (const DataType type : {DataType::Float, DataType::Float16, DataType::BFloat16})
    for (const Pair& pair : pairs)
      for (const char* op : {"Add", "Sub", "Mul", "RealDiv", "Maximum", "Minimum", "SquaredDifference"}) {
        if (graph::element_count(pair.x) > 10000 && type != DataType::Float && std::string(op) != "Add") continue;
        SCOPED_TRACE(std::string(op) + " " + std::string(graph::name_of(type)) + " " + graph::to_text(pair.x) + " " +
                     graph::to_text(pair.y));
        // The same arithmetic on the same numbers: the same bits.
        expect_same({op, {random(type, pair.x, 1), random(type, pair.y, 2)}}, 0);
      }
}

TEST(SimdMap, AgreesWithTheReferenceForAllTypes) {
  const std::pair<const char*, Attributes> ops[] = {
      {"Relu", {}},
      {"Relu6", {}},
      {"LeakyRelu", {{"negative_slope", 0.1f}}},
      {"Sigmoid", {}},
      {"Tanh", {}},
      {"Exp", {}},
      {"Erf", {}},
      {"Gelu", {}},
      {"GeluV2", {{"approximate", "tanh"}}},
      {"GeluV2", {}},
      {"FastGelu", {}},
      {"Swish", {{"scale", 1.5f}}},
      {"HardSwish", {}},
      {"HardSigmoid", {{"alpha", 0.2f}}},
      {"Elu", {{"alpha", 0.5f}}},
      {"Mish", {}},
      {"Neg", {}},
      {"Abs", {}},
      {"Square", {}},
      {"Adds", {{"value", 0.5f}}},
      {"Muls", {{"value", 0.5f}}},
      {"Floor", {}},
      {"Ceil", {}},
      {"Sin", {}},
      {"Cos", {}},
  };
  for (const DataType type : {DataType::Float, DataType::Float16, DataType::BFloat16})
    for (const auto& [op, attributes] : ops)
      for (const Shape& shape : {Shape{}, Shape{7}, Shape{3, 33}, Shape{2, 50000}, Shape{0}}) {
        SCOPED_TRACE(std::string(op) + " " + std::string(graph::name_of(type)) + " " + graph::to_text(shape));
        expect_same({op, {random(type, shape, 3)}, attributes}, tolerance(type));
      }
  for (const char* op : {"Sqrt", "Rsqrt", "Reciprocal", "Log"})
    expect_same({op, {random(DataType::Float, {1001}, 4, 0.01, 9)}}, 1e-6);
}

TEST(SimdMap, ConstantOperandsChooseTheFunction) {
  const Value x = random(DataType::Float, {3, 35}, 5, 0.1, 4);
  for (const double exponent : {3.0, 2.0, 0.5, 1.0, -1.0})
    expect_same({.op = "Pow", .inputs = {x, tensor<float>({}, {exponent})}, .constant = true}, 1e-6);
  expect_same(
      {.op = "ClipByValue", .inputs = {x, tensor<float>({}, {0.5}), tensor<float>({}, {1.5})}, .constant = true}, 0);
  const auto refused = run({.op = "Pow", .inputs = {x, tensor<float>({}, {4})}, .how = "simd", .constant = true});
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.status().message.find("exponent 4"), std::string::npos) << refused.status().message;
}

TEST(SimdChannelwise, AgreesWithTheReference) {
  const Value x = random(DataType::Float, {2, 6, 5, 7}, 19);
  expect_same({"PRelu", {x, random(DataType::Float, {6}, 20)}}, 0);
  expect_same({"PRelu", {x, random(DataType::Float, {6, 1, 1}, 20)}}, 0);
  expect_same({"PRelu", {x, random(DataType::Float, {1}, 20)}}, 0);
  expect_same({"BiasAdd", {x, random(DataType::Float, {6}, 21)}, {{"data_format", "NCHW"}}}, 0);
  expect_same({"BiasAdd", {x, random(DataType::Float, {7}, 21)}, {{"data_format", "NHWC"}}}, 0);
  expect_same({"Bias", {x, random(DataType::Float, {6, 5}, 21)}, {{"axis", 1}}}, 0);
}

TEST(SimdCast, RoundsAndLimitsAsTheReference) {
  Numbers x = {0, -0.0, 1.5, -1.5, 2.5, 65504, 65520, 1e-8, 3e9, -3e9, 2147483520, NAN, INFINITY, -INFINITY};
  for (int i = 0; i < 1000; ++i) x.push_back(i * 1.37 - 300);
  const auto count = static_cast<int64_t>(x.size());
  for (const DataType from : {DataType::Float, DataType::Float16, DataType::BFloat16})
    for (const DataType to : {DataType::Float, DataType::Float16, DataType::BFloat16, DataType::Int32}) {
      SCOPED_TRACE(std::string(graph::name_of(from)) + " to " + std::string(graph::name_of(to)));
      expect_same({.op = "Cast", .inputs = {tensor(from, {count}, x)}, .outputs = {{to, {count}}}}, 0);
    }
  expect_same({.op = "Cast",
               .inputs = {tensor<int32_t>({5}, {0, -1, 2147483647, -2147483648.0, 16777217})},
               .outputs = {{DataType::Float, {5}}}},
              0);
}

TEST(SimdSoftmax, AgreesWithTheReference) {
  for (const char* op : {"SoftmaxV2", "LogSoftmaxV2"})
    for (const DataType type : {DataType::Float, DataType::Float16, DataType::BFloat16})
      for (const Shape& shape : {Shape{1, 1}, Shape{4, 7}, Shape{3, 128}, Shape{2, 3, 1000}, Shape{64, 300}}) {
        SCOPED_TRACE(std::string(op) + " " + std::string(graph::name_of(type)) + " " + graph::to_text(shape));
        expect_same({op, {random(type, shape, 6, -9, 9)}}, tolerance(type));
      }
  for (const int64_t axis : {0, 1, 2})
    expect_same({"SoftmaxV2", {random(DataType::Float, {3, 70, 301}, 7, -9, 9)}, {{"axes", std::vector{axis}}}}, 1e-6);
  // A row that is masked in part, and one that has a NaN.
  const Numbers got =
      numbers({.op = "SoftmaxV2", .inputs = {tensor<float>({2, 3}, {0, -INFINITY, 0, 1, NAN, 2})}, .how = "simd"});
  expect_near(got, {0.5, 0, 0.5, NAN, NAN, NAN}, 0);
}

void expect_same_outputs(OpCall call, double relative) {
  call.how = "reference";
  const auto want = run(call);
  call.how = "simd";
  const auto got = run(call);
  ASSERT_TRUE(want.ok() && got.ok()) << want.status().message << got.status().message;
  for (size_t o = 0; o < (*want).size(); ++o) {
    SCOPED_TRACE(o);
    expect_near((*got)[o].numbers(), (*want)[o].numbers(), relative);
  }
}

TEST(SimdNorm, AgreesWithTheReference) {
  for (const DataType type : {DataType::Float, DataType::Float16}) {
    const double near = type == DataType::Float ? 2e-6 : 2.1e-3;
    for (const int64_t width : {1, 5, 768, 1030}) {
      SCOPED_TRACE(width);
      const Value x = random(type, {3, 4, width}, 8, 90, 110), gamma = random(type, {width}, 9),
                  beta = random(type, {width}, 10);
      for (const char* op : {"LayerNorm", "LayerNormV3"})
        if (width > 1) expect_same_outputs({op, {x, gamma, beta}, {{"begin_norm_axis", -1}}}, near);
      expect_same_outputs({"LayerNormV4", {x, tensor<int32_t>({1}, {double(width)}), gamma, absent()}}, near);
      expect_same_outputs({"RmsNorm", {x, gamma}}, near);
    }
  }
  const Value x = random(DataType::Float, {2, 6, 5, 7}, 11, 50, 60), gain = random(DataType::Float, {6}, 12),
              shift = random(DataType::Float, {6}, 13);
  expect_same_outputs({"InstanceNorm", {x, gain, shift}, {{"data_format", "NCHW"}}}, 2e-6);
  for (const char* op : {"GroupNorm", "GroupNormSilu"})
    expect_same_outputs({op, {x, gain, shift}, {{"num_groups", 3}, {"data_format", "NCHW"}}}, 2e-6);
}

TEST(SimdReduce, AgreesWithTheReference) {
  const Value x = random(DataType::Float, {2, 3, 40, 50}, 14, -1, 3);
  for (const char* op : {"ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin"})
    for (const std::vector<double>& axes :
         {Numbers{3}, Numbers{2, 3}, Numbers{1}, Numbers{0, 1}, Numbers{0, 1, 2, 3}}) {
      SCOPED_TRACE(op);
      for (const bool keep : {false, true})
        expect_same({.op = op,
                     .inputs = {x, tensor<int64_t>({static_cast<int64_t>(axes.size())}, axes)},
                     .attributes = {{"keep_dims", keep}},
                     .constant = true},
                    1e-6);
    }
  expect_same({.op = "ArgMaxV2",
               .inputs = {x, tensor<int64_t>({1}, {-1})},
               .attributes = {{"dtype", DataType::Int64}},
               .constant = true},
              0);
}

// What an operator makes of tensors that come in these layouts, read back in plain order; it must leave them there.
Numbers in_layout(const char* op, std::vector<Value> inputs, std::vector<Layout> layouts, Layout wanted,
                  const Attributes& attributes = {}, const char* how = "simd") {
  graph::Node node{.name = "node", .type = op, .attributes = attributes};
  std::vector<graph::TensorInfo> infos;
  for (const Value& input : inputs) infos.push_back({input.type, input.shape});
  graph::InferContext context(node, infos);
  EXPECT_TRUE(graph::infer(context).ok());
  auto made = backend::make_kernel({node, infos, context.outputs, layouts, 1}, how);
  EXPECT_TRUE(made.ok()) << made.status().message;
  const auto kernel = std::move(made).value();
  EXPECT_EQ(kernel->gives(0), wanted);
  std::vector<std::vector<std::byte>> memory;
  std::vector<backend::Tensor> tensors;
  for (size_t i = 0; i < inputs.size(); ++i) {
    backend::Tensor plain{inputs[i].type, inputs[i].shape, Layout::Plain, inputs[i].bytes.data()}, moved = plain;
    moved.layout = kernel->wants(i);
    memory.emplace_back(moved.bytes());
    moved.data = memory.back().data();
    EXPECT_TRUE(backend::reorder(plain, moved).ok());
    tensors.push_back(moved);
  }
  const auto& info = context.outputs[0];
  std::vector<std::byte> given(graph::bytes_of(info.type, graph::element_count(info.shape)), std::byte(0xFF));  // NaNs
  std::vector<backend::Tensor> outputs = {{info.type, info.shape, wanted, given.data()}};
  EXPECT_TRUE(kernel->run(tensors, outputs).ok());
  Value plain{info.type, info.shape,
              std::vector<std::byte>(graph::bytes_of(info.type, graph::element_count(info.shape)))};
  backend::Tensor to{info.type, info.shape, Layout::Plain, plain.bytes.data()};
  EXPECT_TRUE(backend::reorder(outputs[0], to).ok());
  return plain.numbers();
}

TEST(SimdLayouts, ElementwiseOperatorsLeaveTensorsInTheirLayout) {
  for (const Layout layout : {Layout::Plain, Layout::ChannelsLast})
    for (const int64_t channels : {16, 20, 3}) {
      SCOPED_TRACE(testing::Message() << int(layout) << " " << channels);
      const Shape shape = {2, channels, 3, 5};
      const Value x = random(DataType::Float, shape, 15, 1, 3);
      for (const char* op : {"Rsqrt", "Exp", "HardSwish"})
        expect_near(in_layout(op, {x}, {layout}, layout), numbers({op, {x}}), 1e-6);
      for (const Shape& other : {shape, Shape{1, channels, 1, 1}, Shape{2, channels, 1, 1}, Shape{2, 1, 3, 5}, Shape{5},
                                 Shape{}, Shape{1}}) {
        SCOPED_TRACE(graph::to_text(other));
        const Value y = random(DataType::Float, other, 16, 1, 3);
        const Layout given = other.size() == 4 ? layout : Layout::Plain;
        expect_near(in_layout("RealDiv", {x, y}, {layout, given}, layout), numbers({"RealDiv", {x, y}}), 1e-6);
        expect_near(in_layout("Sub", {y, x}, {Layout::Plain, layout}, layout), numbers({"Sub", {y, x}}), 1e-6);
      }
    }
}

TEST(ResizeLayouts, ImagesStayInTheirLayout) {
  for (const Layout layout : {Layout::Plain, Layout::ChannelsLast})
    for (const int64_t channels : {16, 20}) {
      const Value x = random(DataType::Float, {2, channels, 3, 5}, 22);
      for (const char* mode : {"nearest", "linear", "cubic"}) {
        SCOPED_TRACE(mode);
        const Attributes attributes = {{"mode", mode}, {"scales", std::vector<float>{1, 1, 2, 2}}};
        const Numbers want = numbers({"ResizeD", {x}, attributes});
        expect_near(in_layout("ResizeD", {x}, {layout}, layout, attributes, "reference"), want, 1e-6);
      }
    }
}

}  // namespace
}  // namespace belay::test
