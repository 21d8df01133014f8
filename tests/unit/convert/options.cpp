// SPDX-License-Identifier: Apache-2.0
// Shapes, gears, outputs and types that options ask for.
#include <gmock/gmock.h>

#include "convert/atc/aipp.h"
#include "convert/atc/input_shapes.h"
#include "converted.h"
#include "support/temporary_directory.h"

namespace belay::convert {
namespace {

using graph::DataType;
using graph::Shape;
using Range = std::pair<int64_t, int64_t>;
using testing::ElementsAre;
using testing::HasSubstr;

test::OnnxWriter small_net(const std::vector<int64_t>& shape = {-1, 2, 4, 4}) {
  test::OnnxWriter w;
  w.opset(13).input("x", shape).floats("w", {3, 2, 1, 1}, {1, 2, 3, 4, 5, 6});
  w.node("conv", "Conv", {"x", "w"}, {"c"}).node("relu", "Relu", {"c"}, {"r"}).node("exp", "Exp", {"r"}, {"y"});
  return w.output("y");
}

std::string refusal(const test::OnnxWriter& writer, const ConvertOptions& options) {
  const auto converted = convert_text(writer.model(), options);
  EXPECT_FALSE(converted.ok());
  if (converted.ok()) return "";
  EXPECT_EQ(converted.status().code, ACL_ERROR_INVALID_PARAM);
  EXPECT_STREQ(converted.status().message_id, "E10001");
  return converted.status().message;
}

TEST(InputShape, ReadsNumbersScalarsRangesAndNamesWithColons) {
  const auto inputs = parse_input_shape("a:0:1,3,224;scalar:;d:-1,2~8,4~-1");
  ASSERT_TRUE(inputs.ok()) << inputs.status().message;
  ASSERT_EQ((*inputs).size(), 3u);
  EXPECT_EQ((*inputs)[0].name, "a:0");
  EXPECT_EQ((*inputs)[0].shape, (Shape{1, 3, 224}));
  EXPECT_TRUE((*inputs)[0].range.empty());
  EXPECT_TRUE((*inputs)[1].shape.empty());
  EXPECT_EQ((*inputs)[2].shape, (Shape{-1, -1, -1}));
  EXPECT_THAT((*inputs)[2].range, ElementsAre(Range(0, -1), Range(2, 8), Range(4, -1)));
  const auto ranged = parse_input_shape_range("x:[1~8,3,-1]");
  ASSERT_TRUE(ranged.ok());
  EXPECT_THAT((*ranged)[0].range, ElementsAre(Range(1, 8), Range(3, 3), Range(0, -1)));
}

TEST(InputShape, ShowsTheWrongPart) {
  for (const auto& [text, part] :
       {std::pair{"x", "\"x\""}, {"x:1,a", "\"a\""}, {"x:5~2", "\"5~2\""}, {"x:1;x:2", "twice"}}) {
    const auto inputs = parse_input_shape(text);
    ASSERT_FALSE(inputs.ok()) << text;
    EXPECT_THAT(inputs.status().message, HasSubstr(part));
  }
  EXPECT_THAT(refusal(small_net(), {.input_shape = "z:1,2,4,4"}), HasSubstr("has no input z; its inputs are x"));
}

TEST(InputShape, FixesWhatTheModelLeavesOpen) {
  const auto graph = converted_graph(small_net(), {.input_shape = "x:5,2,4,4"});
  EXPECT_EQ(graph.nodes[static_cast<size_t>(graph.output_node())].input_descs[0].shape, (Shape{5, 3, 4, 4}));
}

TEST(OutNodes, CutTheGraphAndNameTheOutputs) {
  const auto names = [](const char* out_nodes) {
    const auto converted = convert_text(small_net().model(), {.out_nodes = out_nodes});
    EXPECT_TRUE(converted.ok());
    EXPECT_EQ((*converted).model->main().find("exp"), -1);
    return attribute<Names>((*converted).model->attributes, "attr_model_out_nodes_name");
  };
  EXPECT_THAT(names("relu:0"), ElementsAre("relu:0"));
  EXPECT_THAT(names("r"), ElementsAre("relu:0:r"));
  EXPECT_THAT(names("relu:0;conv:0"), ElementsAre("relu:0", "conv:0"));
  EXPECT_THAT(refusal(small_net(), {.out_nodes = "relu:0;r"}), HasSubstr("mixes nodes and tensors"));
  EXPECT_THAT(refusal(small_net(), {.out_nodes = "nobody:0"}), HasSubstr("names no node"));
  EXPECT_THAT(refusal(small_net(), {.out_nodes = "relu:3"}), HasSubstr("does not have"));
}

TEST(OutputType, CastsAtTheEnd) {
  const auto graph = converted_graph(small_net({1, 2, 4, 4}), {.output_type = "FP16"});
  EXPECT_EQ(computing(graph).back(), "trans_Cast_0:Cast");
  EXPECT_EQ(graph.nodes[static_cast<size_t>(graph.output_node())].input_descs[0].type, DataType::Float16);
  EXPECT_THAT(refusal(small_net(), {.output_type = "FP7"}), HasSubstr("\"FP7\" is not supported"));
  EXPECT_THAT(refusal(small_net(), {.output_type = "exp:0:FP16"}), HasSubstr("needs --out_nodes"));
}

TEST(Precision, ForcedHalfCastsOnlyAtTheBorders) {
  const auto graph = converted_graph(small_net({1, 2, 4, 4}), {.precision_mode = "force_fp16"});
  EXPECT_THAT(computing(graph), ElementsAre("trans_Cast_0:Cast", "convrelu:Conv2D", "exp:Exp", "trans_Cast_1:Cast"));
  const auto& conv = node_named(graph, "convrelu");
  EXPECT_EQ(conv.outputs[0].type, DataType::Float16);
  // 1.0, 2.0, 3.0... as float16.
  EXPECT_THAT(constant_input<uint16_t>(graph, conv, 1), ElementsAre(0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600));
  EXPECT_EQ(graph.nodes[0].outputs[0].type, DataType::Float);
  EXPECT_EQ(graph.nodes[static_cast<size_t>(graph.output_node())].input_descs[0].type, DataType::Float);
  const auto& cast = node_named(graph, "trans_Cast_0");
  EXPECT_EQ(attribute<std::string>(cast.outputs[0].attributes, "_datadump_origin_name"), "x");
  EXPECT_TRUE(attribute<Names>(cast.attributes, "_datadump_original_op_names").empty());
}

TEST(Precision, MixedLowersProductsAndWhatFollows) {
  const auto graph = converted_graph(small_net({1, 2, 4, 4}), {.precision_mode_v2 = "mixed_bfloat16"});
  EXPECT_EQ(node_named(graph, "convrelu").outputs[0].type, DataType::BFloat16);
  EXPECT_EQ(node_named(graph, "exp").outputs[0].type, DataType::Float);  // not one that follows
}

TEST(Precision, OriginChangesNothingAndOthersAreNamed) {
  for (const char* mode : {"must_keep_origin_dtype", "allow_fp32_to_fp16"})
    EXPECT_THAT(computing(converted_graph(small_net({1, 2, 4, 4}), {.precision_mode = mode})),
                ElementsAre("convrelu:Conv2D", "exp:Exp"));
  EXPECT_THAT(refusal(small_net(), {.precision_mode = "fast"}), HasSubstr("fast is not one of"));
  EXPECT_THAT(refusal(small_net(), {.precision_mode_v2 = "cube_hif8"}), HasSubstr("--precision_mode_v2: cube_hif8"));
}

TEST(Precision, ConstantsTooLargeForHalfStayFinite) {
  test::OnnxWriter w;
  w.opset(13).input("x", {2}).floats("mask", {2}, {-3e38f, 1}).node("add", "Add", {"x", "mask"}, {"y"}).output("y");
  const auto graph = converted_graph(w, {.precision_mode = "force_fp16"});
  EXPECT_THAT(constant_input<uint16_t>(graph, node_named(graph, "add"), 1), ElementsAre(0xfbff, 0x3c00));  // -65504
}

TEST(Gears, BranchesForEachBatchSize) {
  const auto converted =
      convert_text(small_net().model(), {.input_shape = "x:-1,2,4,4", .dynamic_batch_size = "1,4,2"});
  ASSERT_TRUE(converted.ok()) << converted.status().message;
  const auto& model = *(*converted).model;
  const auto& root = model.main();
  ASSERT_EQ(model.graphs.size(), 4u);
  EXPECT_EQ(model.graphs[2].name, "Batch_1");
  const auto inputs = root.input_nodes();
  ASSERT_EQ(inputs.size(), 2u);
  const auto& x = root.nodes[static_cast<size_t>(inputs[0])];
  EXPECT_EQ(x.outputs[0].shape, (Shape{4, 2, 4, 4}));
  EXPECT_THAT(attribute<Shape>(x.attributes, "_mbatch_origin_input_dims"), ElementsAre(-1, 2, 4, 4));
  const auto& gear = root.nodes[static_cast<size_t>(inputs[1])];
  EXPECT_EQ(gear.name, "ascend_mbatch_shape_data");
  EXPECT_EQ(gear.outputs[0].type, DataType::Int32);
  EXPECT_EQ(gear.outputs[0].shape, (Shape{1}));
  const auto& choice = node_named(root, "ascend_mbatch_shape_case");
  EXPECT_EQ(attribute<int64_t>(choice.attributes, "_batch_num"), 3);
  EXPECT_THAT(attribute<Shape>(choice.attributes, "_pred_value_1"), ElementsAre(4));
  EXPECT_EQ(attribute<int64_t>(choice.attributes, "mbatch_dynamic_type"), 1);
  const auto& output = root.nodes[static_cast<size_t>(root.output_node())];
  EXPECT_THAT(attribute<Names>(output.attributes, "_dynamic_output_dims"),
              ElementsAre("0,0,1,3,4,4", "1,0,4,3,4,4", "2,0,2,3,4,4"));
  const auto& conv = node_named(model.graphs[2], "convrelu_ascend_mbatch_batch_1");
  EXPECT_EQ(attribute<std::string>(conv.attributes, "_batch_label"), "Batch_1");
  EXPECT_EQ(conv.outputs[0].shape, (Shape{4, 3, 4, 4}));
}

TEST(Gears, ImageSizesAndFreeDimensions) {
  const auto image =
      convert_text(small_net({1, 2, -1, -1}).model(), {.input_shape = "x:1,2,-1,-1", .dynamic_image_size = "2,4;8,8"});
  ASSERT_TRUE(image.ok()) << image.status().message;
  EXPECT_EQ((*image).model->main().nodes[0].outputs[0].shape, (Shape{1, 2, 8, 8}));
  const auto dims = convert_text(small_net({-1, 2, -1, 4}).model(),
                                 {.input_format = "ND", .input_shape = "x:-1,2,-1,4", .dynamic_dims = "1,2;3,5"});
  ASSERT_TRUE(dims.ok()) << dims.status().message;
  EXPECT_EQ((*dims).model->main().nodes[0].outputs[0].shape, (Shape{3, 2, 5, 4}));
}

TEST(Gears, SayWhatDoesNotFit) {
  EXPECT_THAT(refusal(small_net(), {.input_shape = "x:1,2,-1,4", .dynamic_batch_size = "1,2"}),
              HasSubstr("only the first dimension of input x may be -1"));
  EXPECT_THAT(refusal(small_net(), {.input_shape = "x:-1,2,4,4", .dynamic_batch_size = "1"}), HasSubstr("2 to 100"));
  EXPECT_THAT(refusal(small_net(), {.input_shape = "x:-1,2,4,4", .dynamic_batch_size = "2,2"}), HasSubstr("twice"));
  EXPECT_THAT(refusal(small_net(), {.input_shape = "x:-1,2,4,4", .dynamic_dims = "1;2"}),
              HasSubstr("--input_format must be ND"));
  EXPECT_THAT(refusal(small_net(), {.dynamic_batch_size = "1,2"}), HasSubstr("--input_shape must be given"));
}

constexpr const char* aipp_text = R"(
# a comment
aipp_op {
  aipp_mode: static
  related_input_rank : 0
  input_format : RGB888_U8
  src_image_size_w : 8
  src_image_size_h : 6
  crop: true
  load_start_pos_w: 1
  mean_chn_0 : 104
  var_reci_chn_0: 0.5
}
)";

TEST(Aipp, ReadsTheTextForm) {
  const auto configs = parse_aipp(aipp_text);
  ASSERT_TRUE(configs.ok()) << configs.status().message;
  ASSERT_EQ((*configs).size(), 1u);
  const auto& config = (*configs)[0];
  EXPECT_EQ(attribute<std::string>(config, "input_format"), "RGB888_U8");
  EXPECT_EQ(attribute<int64_t>(config, "src_image_size_w"), 8);
  EXPECT_TRUE(attribute<bool>(config, "crop"));
  EXPECT_EQ(attribute<float>(config, "mean_chn_0"), 104);
  EXPECT_EQ(attribute<float>(config, "var_reci_chn_1"), 1);
}

TEST(Aipp, SaysFieldAndLine) {
  for (const auto& [text, reason] : {std::pair{"aipp_op {\n nonsense: 1 }", "line 2: there is no field nonsense"},
                                     {"aipp_op { crop: maybe }", "crop cannot be \"maybe\""},
                                     {"aipp_op { crop: true", "} is missing"},
                                     {"other { }", "where aipp_op must stand"}}) {
    const auto configs = parse_aipp(text);
    ASSERT_FALSE(configs.ok()) << text;
    EXPECT_THAT(configs.status().message, HasSubstr(reason));
  }
}

TEST(Aipp, TurnsTheInputIntoARawImage) {
  test::OnnxWriter w;
  w.opset(13).input("x", {1, 3, 6, 7}).node("relu", "Relu", {"x"}, {"y"}).output("y");
  const test::TemporaryDirectory directory;
  const auto graph = converted_graph(w, {.insert_op_conf = directory.write("aipp.cfg", aipp_text)});
  EXPECT_THAT(computing(graph), ElementsAre("x_0_aipp:Aipp", "relu:Relu"));
  const auto& data = node_named(graph, "x");
  EXPECT_EQ(data.outputs[0].type, DataType::UInt8);
  EXPECT_EQ(data.outputs[0].shape, (Shape{1, 6, 8, 3}));
  EXPECT_THAT(attribute<Shape>(data.attributes, "input_dims"), ElementsAre(1, 6, 8, 3));
  const auto& aipp = node_named(graph, "x_0_aipp");
  EXPECT_EQ(aipp.outputs[0].shape, (Shape{1, 3, 6, 7}));
  EXPECT_EQ(attribute<int64_t>(aipp.attributes, "crop_size_w"), 7);
}

}  // namespace
}  // namespace belay::convert
