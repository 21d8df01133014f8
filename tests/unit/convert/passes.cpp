// SPDX-License-Identifier: Apache-2.0
// Each pass: a graph in, a graph out. Folded numbers are worked out by hand.
#include <gmock/gmock.h>

#include "convert/passes/pass.h"
#include "convert/passes/switches.h"
#include "converted.h"
#include "graph/infer/infer.h"
#include "support/temporary_directory.h"

namespace belay::convert {
namespace {

using testing::ElementsAre;
using testing::FloatEq;
using testing::IsEmpty;
using testing::Pointwise;

test::OnnxWriter start(const std::vector<int64_t>& shape = {1, 2, 4, 4}) {
  return test::OnnxWriter().opset(13).input("x", shape);
}

// A 1 x 1 convolution from two channels to two.
void add_conv(test::OnnxWriter& w, const std::string& name = "conv", const std::string& in = "x",
              const std::string& out = "c") {
  w.floats(name + "_w", {2, 2, 1, 1}, {1, 2, 3, 4}).node(name, "Conv", {in, name + "_w"}, {out});
}

TEST(FoldBatchNorm, GoesIntoFilterAndBias) {
  auto w = start();
  add_conv(w);
  // factor = scale / sqrt(var + 0) = 2, 0.5; shift = bias - mean * factor = 10 - 2, 20 - 1.
  w.floats("s", {2}, {4, 2}).floats("b", {2}, {10, 20}).floats("m", {2}, {1, 2}).floats("v", {2}, {4, 16});
  w.node("bn", "BatchNormalization", {"c", "s", "b", "m", "v"}, {"y"}, {{"epsilon", 0.0f}}).output("y");
  const auto graph = converted_graph(w);
  EXPECT_THAT(computing(graph), ElementsAre("conv:Conv2D"));
  const auto& conv = node_named(graph, "conv");
  EXPECT_THAT(constant_input<float>(graph, conv, 1), ElementsAre(2, 4, 1.5f, 2));
  EXPECT_THAT(constant_input<float>(graph, conv, 2), ElementsAre(8, 19));
  EXPECT_THAT(attribute<Names>(conv.attributes, "_datadump_original_op_names"), ElementsAre("conv", "bn"));
  EXPECT_EQ(attribute<std::string>(conv.outputs[0].attributes, "_datadump_origin_name"), "bn");
}

TEST(FoldBatchNorm, StaysWhenSomebodyElseReadsTheConvolution) {
  auto w = start();
  add_conv(w);
  w.floats("s", {2}, {4, 2}).node("bn", "BatchNormalization", {"c", "s", "s", "s", "s"}, {"y"}).output("y").output("c");
  EXPECT_THAT(computing(converted_graph(w)), ElementsAre("conv:Conv2D", "bn:BatchNorm"));
}

// A filter of 2 MiB made of 512 numbers is not computed into the file, and the norm is folded all the same: the factors
// are multiplied in when the model is loaded.
TEST(FoldBatchNorm, GoesIntoAFilterThatIsComputedAtLoad) {
  constexpr int64_t channels = 512, inputs = 1024;
  const auto numbers = [](float value) { return std::vector<float>(channels, value); };
  auto w = start({1, inputs, 1, 2});
  w.floats("row", {channels, 1, 1, 1}, numbers(2)).ints("shape", {channels, inputs, 1, 1});
  w.node("filter", "Expand", {"row", "shape"}, {"w"}).node("conv", "Conv", {"x", "w"}, {"c"});
  w.floats("s", {channels}, numbers(4)).floats("b", {channels}, numbers(10)).floats("m", {channels}, numbers(1));
  w.floats("v", {channels}, numbers(4));
  w.node("bn", "BatchNormalization", {"c", "s", "b", "m", "v"}, {"y"}, {{"epsilon", 0.0f}}).output("y");
  const auto converted = convert_text(w.model());
  ASSERT_TRUE(converted.ok()) << converted.status().message;
  const graph::Graph& graph = (*converted).model->main();
  EXPECT_THAT(computing(graph), ElementsAre("filter:Expand", "conv_filter_host:Mul", "conv:Conv2D"));
  EXPECT_THAT(constant_input<float>(graph, node_named(graph, "conv"), 2), testing::Each(8));  // 10 - 1 * 2
  EXPECT_THAT(constant_input<float>(graph, node_named(graph, "conv_filter_host"), 1), testing::Each(2));
  EXPECT_THAT(attribute<Names>(node_named(graph, "conv").attributes, "_datadump_original_op_names"),
              ElementsAre("conv", "bn"));
}

TEST(FoldConvBias, TakesTheConstantOfASumOfTwo) {
  auto w = start();
  add_conv(w);
  w.floats("b", {2, 1, 1}, {5, 6}).node("sum", "Sum", {"c", "b"}, {"y"}).output("y");
  const auto graph = converted_graph(w);
  EXPECT_THAT(computing(graph), ElementsAre("conv:Conv2D"));
  EXPECT_THAT(constant_input<float>(graph, node_named(graph, "conv"), 2), ElementsAre(5, 6));
}

TEST(FoldConvBias, TakesAConstantPerChannel) {
  auto w = start();
  add_conv(w);
  w.floats("b", {2, 1, 1}, {5, 6}).node("add", "Add", {"b", "c"}, {"y"}).output("y");
  const auto graph = converted_graph(w);
  EXPECT_THAT(computing(graph), ElementsAre("conv:Conv2D"));
  EXPECT_THAT(constant_input<float>(graph, node_named(graph, "conv"), 2), ElementsAre(5, 6));
  EXPECT_THAT(attribute<Names>(node_named(graph, "conv").attributes, "_datadump_original_op_names"),
              ElementsAre("add", "conv"));
}

TEST(FoldConvBias, LeavesAConstantThatVariesOverThePlane) {
  auto w = start({1, 2, 1, 2});
  add_conv(w);
  w.floats("b", {2}, {5, 6}).node("add", "Add", {"c", "b"}, {"y"}).output("y");  // along the width, not the channels
  EXPECT_THAT(computing(converted_graph(w)), ElementsAre("conv:Conv2D", "add:Add"));
}

TEST(FoldMatMulBias, GemmBecomesOneProductWithBias) {
  auto w = start({3, 2});
  w.floats("w", {2, 2}, {1, 2, 3, 4}).floats("b", {2}, {5, 6}).node("fc", "Gemm", {"x", "w", "b"}, {"y"}).output("y");
  const auto graph = converted_graph(w);
  EXPECT_THAT(computing(graph), ElementsAre("PartitionedCall_fc_MatMulV2_3:MatMulV2"));
  const auto& product = node_named(graph, "PartitionedCall_fc_MatMulV2_3");
  EXPECT_THAT(constant_input<float>(graph, product, 2), ElementsAre(5, 6));
  EXPECT_TRUE(attribute<bool>(product.attributes, "has_bias"));
  EXPECT_THAT(attribute<Names>(product.attributes, "_datadump_original_op_names"), ElementsAre("fc", "fc"));
}

test::OnnxWriter gelu_erf(const char* form) {
  auto w = start({2, 8});
  w.floats("r", {}, {1.41421356f}).floats("i", {}, {0.70710678f}).floats("one", {}, {1}).floats("half", {}, {0.5f});
  const std::string kind(form);
  w.node("scale", kind == "half late" ? "Div" : "Mul", {"x", kind == "half late" ? "r" : "i"}, {"a"});
  w.node("erf", "Erf", {"a"}, {"e"}).node("plus", "Add", {"e", "one"}, {"p"});
  if (kind == "half late") w.node("times", "Mul", {"x", "p"}, {"t"}).node("last", "Mul", {"t", "half"}, {"y"});
  if (kind == "half first") w.node("halved", "Mul", {"x", "half"}, {"h"}).node("last", "Mul", {"h", "p"}, {"y"});
  if (kind == "half inside") w.node("halved", "Mul", {"half", "p"}, {"h"}).node("last", "Mul", {"x", "h"}, {"y"});
  return w.output("y");
}

TEST(RecognizeGelu, KnowsTheFormsOfTheErrorFunction) {
  for (const char* form : {"half late", "half first", "half inside"}) {
    const auto graph = converted_graph(gelu_erf(form));
    EXPECT_THAT(computing(graph), ElementsAre("last:GeluV2")) << form;
    EXPECT_EQ(attribute<std::string>(node_named(graph, "last").attributes, "approximate"), "none");
    EXPECT_EQ(attribute<Names>(node_named(graph, "last").attributes, "_datadump_original_op_names").size(), 5u);
  }
}

TEST(RecognizeGelu, KnowsTheTanhForm) {
  auto w = start({2, 8});
  w.floats("three", {}, {3}).floats("k", {}, {0.044715f}).floats("c", {}, {0.7978845608f}).floats("one", {}, {1});
  w.floats("half", {}, {0.5f}).node("pow", "Pow", {"x", "three"}, {"x3"}).node("m1", "Mul", {"k", "x3"}, {"kx3"});
  w.node("a1", "Add", {"x", "kx3"}, {"s"}).node("m2", "Mul", {"s", "c"}, {"cs"}).node("tanh", "Tanh", {"cs"}, {"t"});
  w.node("a2", "Add", {"t", "one"}, {"p"}).node("m3", "Mul", {"x", "half"}, {"h"});
  w.node("last", "Mul", {"h", "p"}, {"y"}).output("y");
  const auto graph = converted_graph(w);
  EXPECT_THAT(computing(graph), ElementsAre("last:GeluV2"));
  EXPECT_EQ(attribute<std::string>(node_named(graph, "last").attributes, "approximate"), "tanh");
}

TEST(RecognizeGelu, LeavesOtherNumbersAlone) {
  auto w = start({2, 8});
  w.floats("i", {}, {0.7f}).floats("one", {}, {1}).floats("half", {}, {0.5f});
  w.node("scale", "Mul", {"x", "i"}, {"a"}).node("erf", "Erf", {"a"}, {"e"}).node("plus", "Add", {"e", "one"}, {"p"});
  w.node("times", "Mul", {"x", "p"}, {"t"}).node("last", "Mul", {"t", "half"}, {"y"}).output("y");
  EXPECT_EQ(computing(converted_graph(w)).size(), 5u);
}

TEST(RecognizeLayerNorm, KnowsTheChainOfExporters) {
  auto w = start({2, 3, 4});
  w.floats("two", {}, {2}).floats("eps", {}, {1e-6f}).floats("g", {4}, {1, 2, 3, 4}).floats("b", {4}, {5, 6, 7, 8});
  w.node("mean", "ReduceMean", {"x"}, {"m"}, {{"axes", {{-1}}}}).node("sub", "Sub", {"x", "m"}, {"d"});
  w.node("pow", "Pow", {"d", "two"}, {"d2"}).node("var", "ReduceMean", {"d2"}, {"v"}, {{"axes", {{-1}}}});
  w.node("eps", "Add", {"v", "eps"}, {"ve"})
      .node("sqrt", "Sqrt", {"ve"}, {"sd"})
      .node("div", "Div", {"d", "sd"}, {"n"});
  w.node("mul", "Mul", {"n", "g"}, {"ng"}).node("add", "Add", {"ng", "b"}, {"y"}).output("y");
  const auto graph = converted_graph(w);
  EXPECT_THAT(computing(graph), ElementsAre("add:LayerNorm"));
  const auto& norm = node_named(graph, "add");
  EXPECT_EQ(attribute<int64_t>(norm.attributes, "begin_norm_axis"), 2);
  EXPECT_FLOAT_EQ(attribute<float>(norm.attributes, "epsilon"), 1e-6f);
  EXPECT_THAT(constant_input<float>(graph, norm, 2), ElementsAre(5, 6, 7, 8));
}

TEST(RecognizeSoftmax, KnowsTheDecomposedForm) {
  auto w = start({2, 3});
  w.ints("axes", {-1});
  w.node("max", "ReduceMax", {"x"}, {"m"}, {{"axes", {{-1}}}}).node("sub", "Sub", {"x", "m"}, {"d"});
  w.node("exp", "Exp", {"d"}, {"e"})
      .node("sum", "ReduceSum", {"e", "axes"}, {"s"})
      .node("div", "Div", {"e", "s"}, {"y"});
  const auto graph = converted_graph(w.output("y"));
  EXPECT_THAT(computing(graph), ElementsAre("div:SoftmaxV2"));
  EXPECT_THAT(attribute<std::vector<int64_t>>(node_named(graph, "div").attributes, "axes"), ElementsAre(-1));
}

// Channels of x in two groups, turned, and as channels again.
test::OnnxWriter shuffled(const std::vector<int64_t>& x, const std::vector<int64_t>& groups,
                          const std::vector<int64_t>& order, const std::vector<int64_t>& channels) {
  auto w = test::OnnxWriter().opset(13).input("x", x).ints("groups", groups).ints("channels", channels);
  w.node("see", "Reshape", {"x", "groups"}, {"a"}).node("turn", "Transpose", {"a"}, {"b"}, {{"perm", order}});
  return w.node("join", "Reshape", {"b", "channels"}, {"c"}).node("relu", "Relu", {"c"}, {"y"}).output("y");
}

TEST(RecognizeChannelShuffle, KnowsReshapeTransposeReshape) {
  for (auto& w : {shuffled({1, 6, 3, 4}, {1, 2, 3, 3, 4}, {0, 2, 1, 3, 4}, {1, 6, 3, 4}),
                  shuffled({1, 6, 3, 4}, {1, 2, 3, 12}, {0, 2, 1, 3}, {1, -1, 3, 4}),
                  shuffled({-1, 6, 3, 4}, {-1, 2, 3, 3, 4}, {0, 2, 1, 3, 4}, {-1, 6, 3, 4})}) {
    const auto graph = converted_graph(w);
    EXPECT_THAT(computing(graph), ElementsAre("join:ShuffleChannel", "relu:Relu"));
    const auto& shuffle = node_named(graph, "join");
    EXPECT_EQ(attribute<int64_t>(shuffle.attributes, "group"), 2);
    EXPECT_THAT(attribute<Names>(shuffle.attributes, "_datadump_original_op_names"),
                ElementsAre("see", "turn", "join"));
  }
}

TEST(RecognizeChannelShuffle, LeavesOtherTurnsAlone) {
  for (auto& w : {shuffled({1, 6, 3, 4}, {1, 2, 3, 3, 4}, {0, 1, 2, 4, 3}, {1, 6, 3, 4}),     // not the groups
                  shuffled({2, 6, 3, 4}, {1, 2, 6, 3, 4}, {0, 2, 1, 3, 4}, {2, 6, 3, 4}),     // with the batch
                  shuffled({1, 6, 3, 4}, {1, 2, 3, 3, 4}, {0, 2, 1, 3, 4}, {1, 6, 4, 3}),     // another shape
                  shuffled({1, 6, 3, 4}, {1, 3, 3, 2, 4}, {0, 2, 1, 3, 4}, {1, 6, 3, 4})}) {  // across places
    EXPECT_THAT(computing(converted_graph(w)),
                ElementsAre("see:Reshape", "PartitionedCall_turn_Transpose_2:Transpose", "join:Reshape", "relu:Relu"));
  }
  auto seen = shuffled({1, 6, 3, 4}, {1, 2, 3, 3, 4}, {0, 2, 1, 3, 4}, {1, 6, 3, 4});
  seen.output("b");  // somebody reads what is between
  EXPECT_THAT(computing(converted_graph(seen)), testing::Contains("join:Reshape"));
}

TEST(RecognizeGated, KnowsSwishHardSwishAndMish) {
  auto swish = start({2, 3});
  swish.node("s", "Sigmoid", {"x"}, {"f"}).node("y", "Mul", {"f", "x"}, {"y"}).output("y");
  EXPECT_THAT(computing(converted_graph(swish)), ElementsAre("y:Swish"));
  auto hard = start({2, 3});
  hard.node("s", "HardSigmoid", {"x"}, {"f"}, {{"alpha", 1.0f / 6}, {"beta", 0.5f}});
  hard.node("y", "Mul", {"x", "f"}, {"y"}).output("y");
  EXPECT_THAT(computing(converted_graph(hard)), ElementsAre("y:HardSwish"));
  auto clipped = start({2, 3});
  clipped.floats("three", {}, {3}).floats("zero", {}, {0}).floats("six", {}, {6});
  clipped.node("a", "Add", {"x", "three"}, {"s"}).node("c", "Clip", {"s", "zero", "six"}, {"r"});
  clipped.node("m", "Mul", {"x", "r"}, {"t"}).node("y", "Div", {"t", "six"}, {"y"}).output("y");
  EXPECT_THAT(computing(converted_graph(clipped)), ElementsAre("y:HardSwish"));
  auto mish = start({2, 3});
  mish.node("p", "Softplus", {"x"}, {"a"})
      .node("t", "Tanh", {"a"}, {"b"})
      .node("y", "Mul", {"x", "b"}, {"y"})
      .output("y");
  EXPECT_THAT(computing(converted_graph(mish)), ElementsAre("y:Mish"));
}

TEST(RemoveCopies, IdentityAndDropoutGo) {
  auto w = start({2, 3});
  w.node("i", "Identity", {"x"}, {"a"}).node("d", "Dropout", {"a"}, {"b"}).node("r", "Relu", {"b"}, {"y"}).output("y");
  EXPECT_THAT(computing(converted_graph(w)), ElementsAre("r:Relu"));
  auto wire = start({2, 3});
  wire.node("i", "Identity", {"x"}, {"y"}).output("y");
  EXPECT_THAT(computing(converted_graph(wire)), ElementsAre("i:Identity"));
}

TEST(Fuse, ConvolutionTakesSumAndActivation) {
  auto w = start();
  add_conv(w);
  w.node("sum", "Add", {"x", "c"}, {"s"}).node("relu", "Relu", {"s"}, {"y"}).output("y");
  const auto graph = converted_graph(w);
  EXPECT_THAT(computing(graph), ElementsAre("convsumrelu:Conv2D"));
  const auto& fused = node_named(graph, "convsumrelu");
  EXPECT_TRUE(attribute<bool>(fused.attributes, "_is_compiled_fusion_op"));
  EXPECT_FALSE(fused.attributes.contains("strides"));
  EXPECT_THAT(attribute<Names>(fused.attributes, "_datadump_original_op_names"), ElementsAre("conv", "sum", "relu"));
  EXPECT_EQ(attribute<std::string>(fused.outputs[0].attributes, "_datadump_origin_name"), "relu");
  // x for the convolution, its filter, and x again for the sum.
  ASSERT_EQ(fused.inputs.size(), 3u);
  EXPECT_EQ(fused.inputs[0], fused.inputs[2]);
  const auto members = attribute<std::shared_ptr<graph::Graph>>(fused.attributes, std::string(graph::kMembers));
  ASSERT_TRUE(members);
  EXPECT_THAT(computing(*members), ElementsAre("conv:Conv2D", "sum:Add", "relu:Relu"));
  EXPECT_TRUE(node_named(*members, "conv").attributes.contains("strides"));
  const int sum = members->find("sum");
  EXPECT_EQ(members->nodes[static_cast<size_t>(sum)].inputs[0], (graph::Edge{2, 0}));  // the third Data
}

TEST(Fuse, ASumOfTwoIsFusedAsAnAddIs) {
  auto w = start();
  add_conv(w);
  w.node("sum", "Sum", {"x", "c"}, {"s"}).node("relu", "Relu", {"s"}, {"y"}).output("y");
  EXPECT_THAT(computing(converted_graph(w)), ElementsAre("convsumrelu:Conv2D"));
  auto three = start();
  add_conv(three);
  three.node("sum", "Sum", {"x", "c", "x"}, {"s"}).node("relu", "Relu", {"s"}, {"y"}).output("y");
  EXPECT_THAT(computing(converted_graph(three)), ElementsAre("conv:Conv2D", "sum:AccumulateNV2", "relu:Relu"));
}

TEST(Fuse, StopsAtOutputsAndAtSecondReaders) {
  auto w = start();
  add_conv(w);
  w.node("relu", "Relu", {"c"}, {"y"}).output("y").output("c");
  EXPECT_THAT(computing(converted_graph(w)), ElementsAre("conv:Conv2D", "relu:Relu"));
}

TEST(Fuse, LongNamesEndInUbFusion) {
  auto w = start();
  const std::string name(300, 'n');
  w.floats("w", {2, 2, 1, 1}, {1, 2, 3, 4}).node(name, "Conv", {"x", "w"}, {"c"});
  w.node(std::string(300, 'r'), "Relu", {"c"}, {"y"}).output("y");
  EXPECT_THAT(computing(converted_graph(w)), ElementsAre(name + "_ub_fusion:Conv2D"));
}

TEST(FoldConstants, ShapeArithmeticBecomesAConstant) {
  auto w = start({2, 3, 4});
  w.ints("zero", {0}).ints("rest", {-1});
  w.node("shape", "Shape", {"x"}, {"s"}).node("first", "Gather", {"s", "zero"}, {"n"});
  w.node("join", "Concat", {"n", "rest"}, {"t"}, {{"axis", 0}}).node("flat", "Reshape", {"x", "t"}, {"y"}).output("y");
  const auto graph = converted_graph(w);
  EXPECT_THAT(computing(graph), ElementsAre("flat:Reshape"));
  const auto& reshape = node_named(graph, "flat");
  EXPECT_THAT(constant_input<int64_t>(graph, reshape, 1), ElementsAre(2, -1));
  EXPECT_EQ(reshape.outputs[0].shape, (graph::Shape{2, 12}));
  const auto& made = graph.nodes[static_cast<size_t>(reshape.inputs[1].node)];
  EXPECT_EQ(made.name, "dynamic_const_0_0");
  EXPECT_THAT(attribute<Names>(made.attributes, "_datadump_original_op_names"), IsEmpty());
}

TEST(FusionSwitches, TurnPassesOff) {
  auto w = start();
  add_conv(w);
  w.node("relu", "Relu", {"c"}, {"y"}).output("y");
  const test::TemporaryDirectory directory;
  const auto with = [&](const char* text) {
    return computing(converted_graph(w, {.fusion_switch_file = directory.write("switch", text)}));
  };
  const Names together = {"convrelu:Conv2D"}, apart = {"conv:Conv2D", "relu:Relu"};
  EXPECT_EQ(with(""), together);
  EXPECT_EQ(with("TbeConvCommonRules2FusionPass:off\n"), apart);
  EXPECT_EQ(with(R"({"Switch":{"UBFusion":{"ALL":"off"}}})"), apart);
  EXPECT_EQ(with(R"({"Switch":{"UBFusion":{"ALL":"off","TbeConvCommonRules2FusionPass":"on"}}})"), together);
  EXPECT_EQ(with(R"({"Switch":{"GraphFusion":{"ALL":"off"}}})"), together);
}

TEST(FusionSwitches, SayWhatIsWrong) {
  const std::pair<const char*, const char*> cases[] = {
      {"NoColon", "\"NoColon\" must be Pass:on or Pass:off"},
      {"A:maybe", "A is \"maybe\", must be on or off"},
      {"{\"Switch\":3}", "JSON without an object \"Switch\""},
      {"{\"Switch\":{\"UBFusion\":{\"A\":1}}}", "A must be \"on\" or \"off\""},
  };
  for (const auto& [text, reason] : cases) {
    const auto switches = Switches::parse(text);
    ASSERT_FALSE(switches.ok()) << text;
    EXPECT_EQ(switches.status().code, ACL_ERROR_INVALID_PARAM);
    EXPECT_THAT(switches.status().message, testing::HasSubstr(reason));
  }
}

}  // namespace
}  // namespace belay::convert
