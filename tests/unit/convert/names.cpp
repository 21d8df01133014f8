// SPDX-License-Identifier: Apache-2.0
// Names and wiring that an import gives; the expected ones are written out by the rules of the vendor's converter.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "convert/convert.h"
#include "support/onnx_writer.h"

namespace belay::convert {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Names = std::vector<std::string>;

Result<Converted> import(const test::OnnxWriter& writer) {
  const test::OnnxImage image(writer.model());
  return convert_onnx(image.bytes(), image.owner, ".", {.name = "net", .fold_constants = false, .fuse = false});
}

graph::Graph graph_of(const test::OnnxWriter& writer) {
  auto converted = import(writer);
  EXPECT_TRUE(converted.ok()) << (converted.ok() ? "" : converted.status().message);
  return converted.ok() ? (*converted).model->main() : graph::Graph{};
}

// "name:Type" of every node.
Names listing(const graph::Graph& graph) {
  Names names;
  for (const auto& node : graph.nodes) names.push_back(node.name + ":" + node.type);
  return names;
}

TEST(ImportNames, InputsInitializersAndOutputsFollowTheRules) {
  const auto graph = graph_of(test::OnnxWriter()
                                  .opset(13)
                                  .input("x", {1, 4})
                                  .floats("b", {4}, {1, 2, 3, 4})
                                  .floats("a", {4}, {1, 2, 3, 4})
                                  .node("add", "Add", {"x", "b"}, {"s"})
                                  .node("", "Relu", {"s"}, {"r"})
                                  .node("", "Mul", {"r", "a"}, {"y"})
                                  .output("y"));
  EXPECT_EQ(graph.name, "net");
  EXPECT_THAT(listing(graph), ElementsAre("x:Data", "a_Initializer_0:Const", "b_Initializer_1:Const", "add:Add",
                                          "Relu_0:Relu", "Mul_1:Mul", "Node_Output:NetOutput"));
  EXPECT_EQ(graph::get_or<int64_t>(graph.nodes[0].attributes, "index", -1), 0);
}

TEST(ImportNames, ATensorWithTwoMakersIsRefusedWithBoth) {
  const auto refusal = [](const test::OnnxWriter& writer) {
    const auto converted = import(writer);
    EXPECT_FALSE(converted.ok());
    return converted.ok() ? Status{} : converted.status();
  };
  const auto net = [] {
    return test::OnnxWriter().opset(13).input("x", {1, 4}).floats("w", {4}, {1, 2, 3, 4}).output("y");
  };
  const Status twice = refusal(net().node("first", "Relu", {"x"}, {"y"}).node("second", "Neg", {"x"}, {"y"}));
  EXPECT_EQ(twice.code, ACL_ERROR_PARSE_MODEL);
  EXPECT_EQ(twice.message, "tensor y has two makers: node first (Relu) and node second (Neg); ONNX allows one");
  EXPECT_THAT(refusal(net().node("", "Relu", {"x"}, {"y"}).node("", "Neg", {"x"}, {"y"})).message,
              HasSubstr("node 0 (Relu) and node 1 (Neg)"));
  EXPECT_THAT(refusal(net().node("cut", "Split", {"x"}, {"y", "y"}, {{"axis", 1}})).message,
              HasSubstr("node cut (Split) and node cut (Split)"));
  EXPECT_THAT(refusal(net().node("over", "Relu", {"x"}, {"x"}).node("end", "Neg", {"x"}, {"y"})).message,
              HasSubstr("tensor x has two makers: a graph input and node over (Relu)"));
  EXPECT_THAT(refusal(net().node("over", "Relu", {"x"}, {"w"}).node("end", "Neg", {"w"}, {"y"})).message,
              HasSubstr("tensor w has two makers: an initializer and node over (Relu)"));
}

TEST(ImportNames, OutputEntriesNameOperatorIndexAndTensor) {
  const auto converted = import(test::OnnxWriter()
                                    .opset(13)
                                    .input("x", {2, 4})
                                    .node("cut", "Split", {"x"}, {"a", "b"}, {{"axis", 1}})
                                    .node("relu", "Relu", {"a"}, {"y"})
                                    .output("y")
                                    .output("b"));
  ASSERT_TRUE(converted.ok()) << converted.status().message;
  const auto* entries = graph::get_if<Names>((*converted).model->attributes, "attr_model_out_nodes_name");
  ASSERT_TRUE(entries);
  // One Data placeholder and split_dim come before Split.
  EXPECT_THAT(*entries, ElementsAre("relu:0:y", "PartitionedCall_cut_Split_2:1:b"));
}

TEST(ImportNames, ExpansionsCountPlaceholdersAndKeepTheOnnxName) {
  const auto graph = graph_of(test::OnnxWriter()
                                  .opset(13)
                                  .input("x", {2, 4})
                                  .floats("w", {4, 3}, std::vector<float>(12))
                                  .floats("c", {3}, {1, 2, 3})
                                  .node("fc", "Gemm", {"x", "w", "c"}, {"g"})
                                  .node("t", "Transpose", {"g"}, {"y"}, {{"perm", {{1, 0}}}})
                                  .output("y"));
  // Gemm: Data 0 1 2, then its operators; Transpose: Data 5, then its operators.
  EXPECT_THAT(listing(graph), ElementsAre("x:Data", "c_Initializer_0:Const", "w_Initializer_1:Const",
                                          "PartitionedCall_fc_MatMulV2_3:MatMulV2", "PartitionedCall_fc_add_4:Add",
                                          "PartitionedCall_t_Const_6:Const", "PartitionedCall_t_Transpose_7:Transpose",
                                          "Node_Output:NetOutput"));
  for (const int i : {3, 4})
    EXPECT_THAT(*graph::get_if<Names>(graph.nodes[static_cast<size_t>(i)].attributes, "_datadump_original_op_names"),
                ElementsAre("fc"));
}

TEST(ImportNames, GemmWithoutCKeepsItsName) {
  const auto graph = graph_of(test::OnnxWriter()
                                  .opset(13)
                                  .input("x", {2, 4})
                                  .floats("w", {4, 3}, std::vector<float>(12))
                                  .node("fc", "Gemm", {"x", "w"}, {"y"})
                                  .output("y"));
  EXPECT_EQ(listing(graph)[2], "fc:MatMulV2");
  EXPECT_FALSE(graph.nodes[2].attributes.contains("_datadump_original_op_names"));
}

TEST(ImportNames, TheProducerCarriesTheTensorName) {
  const auto graph = graph_of(test::OnnxWriter().opset(13).input("x", {2}).node("r", "Relu", {"x"}, {"y"}).output("y"));
  EXPECT_EQ(*graph::get_if<std::string>(graph.nodes[1].outputs[0].attributes, "_origin_output_tensor_name"), "y");
}

TEST(Import, EveryNodeThatCannotBeConvertedIsNamedAtOnce) {
  const auto converted =
      import(test::OnnxWriter()
                 .opset(13)
                 .input("x", {2, 4})
                 .node("first", "Nonsense", {"x"}, {"a"})
                 .node("fine", "Relu", {"a"}, {"b"})
                 .node("second", "BatchNormalization", {"b", "b", "b", "b", "b"}, {"c"}, {{"training_mode", 1}})
                 .node("third", "Relu", {"c"}, {"d"}, {}, "my.domain")
                 .output("d"));
  ASSERT_FALSE(converted.ok());
  EXPECT_EQ(converted.status().code, ACL_ERROR_FEATURE_UNSUPPORTED);
  const std::string& text = converted.status().message;
  EXPECT_THAT(text, HasSubstr("3 parts of the model cannot be converted"));
  EXPECT_THAT(text, HasSubstr("first: Nonsense (opset 13): no GE operator is known for it"));
  EXPECT_THAT(text, HasSubstr("second: BatchNormalization (opset 13): it is in training mode"));
  EXPECT_THAT(text, HasSubstr("third: my.domain::Relu"));
}

}  // namespace
}  // namespace belay::convert
