// SPDX-License-Identifier: Apache-2.0
#include "graph/model/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace belay::graph {
namespace {

using testing::ElementsAre;

template <class T>
T default_of(std::string_view op, std::string_view attribute) {
  const Schema* schema = find_schema(op);
  EXPECT_TRUE(schema) << op;
  return std::get<T>(schema->attribute(attribute)->fallback);
}

TEST(Schema, Conv2DIsDeclaredAsDocumented) {
  const Schema* conv = find_schema("Conv2D");
  ASSERT_TRUE(conv);
  ASSERT_EQ(conv->inputs.size(), 4u);
  EXPECT_EQ(conv->inputs[1].name, "filter");
  EXPECT_EQ(conv->inputs[1].kind, PortKind::Required);
  EXPECT_EQ(conv->inputs[2].name, "bias");
  EXPECT_EQ(conv->inputs[2].kind, PortKind::Optional);
  EXPECT_EQ(conv->input("offset_w"), 3);
  EXPECT_EQ(conv->input("nothing"), -1);
  EXPECT_EQ(conv->outputs[0].name, "y");
  EXPECT_TRUE(conv->attribute("strides")->required);
  EXPECT_EQ(default_of<std::string>("Conv2D", "data_format"), "NHWC");
  EXPECT_EQ(default_of<std::vector<int64_t>>("Conv2D", "dilations"), (std::vector<int64_t>{1, 1, 1, 1}));
  EXPECT_EQ(find_schema("Conv2D"), conv);
}

TEST(Schema, DefaultsOfEveryNotationAreRead) {
  EXPECT_EQ(default_of<float>("RmsNorm", "epsilon"), 1e-6f);
  EXPECT_EQ(default_of<bool>("BatchNorm", "is_training"), true);
  EXPECT_EQ(default_of<int64_t>("AscendQuant", "dst_type"), 2);
  EXPECT_EQ(default_of<DataType>("ArgMaxV2", "dtype"), DataType::Int64);
  EXPECT_EQ(default_of<std::string>("DecodeCSV", "field_delim"), ",");
  EXPECT_EQ(default_of<std::vector<std::vector<int64_t>>>("IteratorV2", "output_shapes").size(), 2u);
  EXPECT_EQ(default_of<std::vector<std::string>>("EmbeddingTableFindAndInit", "filter_mode"),
            std::vector<std::string>{"no_filter"});
  EXPECT_EQ(default_of<std::vector<int64_t>>("VarHandleOp", "shape"), std::vector<int64_t>{-1});
  EXPECT_TRUE(std::holds_alternative<std::monostate>(find_schema("Const")->attribute("value")->fallback));
}

TEST(Schema, EveryDefaultOfTheTableHasAValue) {
  for (const auto op : schema_names())
    for (const AttributeSchema& attribute : find_schema(op)->attributes) {
      EXPECT_FALSE(attribute.name.empty()) << op;
      const bool has_default = !attribute.required && attribute.type != "Tensor";
      EXPECT_EQ(attribute.fallback.index() != 0, has_default) << op << " " << attribute.name;
      EXPECT_EQ(std::holds_alternative<float>(attribute.fallback), attribute.type == "Float" && has_default) << op;
    }
}

TEST(Schema, ControlOperatorsNameTheirGraphs) {
  EXPECT_THAT(find_schema("If")->graphs, ElementsAre("then_branch", "else_branch"));
  EXPECT_THAT(find_schema("While")->graphs, ElementsAre("cond", "body"));
  EXPECT_TRUE(find_schema("If")->attributes.empty());
}

TEST(Schema, MembersOfADynamicPortAreNumbered) {
  EXPECT_THAT(port_names(find_schema("ConcatV2")->inputs, 4), ElementsAre("x0", "x1", "x2", "concat_dim"));
  EXPECT_EQ(find_schema("ConcatV2")->input("concat_dim", 4), 3);
  EXPECT_EQ(find_schema("ConcatD")->input("x2"), 2);
  EXPECT_EQ(find_schema("Concat")->input("x1"), 2);
  EXPECT_THAT(port_names(find_schema("Conv2D")->inputs, 2), ElementsAre("x", "filter"));
  EXPECT_THAT(port_names(find_schema("NetOutput")->inputs, 2), ElementsAre("__input0", "__input1"));
}

TEST(Schema, NamesAreSortedAndOursAreAmongThem) {
  const auto names = schema_names();
  EXPECT_GT(names.size(), 1902u);  // those of the GE table, and ours
  EXPECT_TRUE(std::ranges::is_sorted(names));
  EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
  EXPECT_TRUE(find_schema("CommonRNN"));
  EXPECT_EQ(find_schema("NoSuchOperator"), nullptr);
}

TEST(ApplyDefaults, FillsWhatIsMissingAndKeepsWhatIsGiven) {
  Node node{.name = "n", .type = "LayerNorm"};
  node.attributes["epsilon"] = 0.5f;
  ASSERT_TRUE(apply_defaults(node).ok());
  EXPECT_EQ(get_or<float>(node.attributes, "epsilon", 0), 0.5f);
  EXPECT_EQ(get_or<int64_t>(node.attributes, "begin_norm_axis", 7), 0);
}

TEST(ApplyDefaults, AMissingRequiredAttributeIsNamed) {
  Node node{.name = "conv1", .type = "Conv2D"};
  const Status status = apply_defaults(node);
  EXPECT_EQ(status.code, ACL_ERROR_PARSE_MODEL);
  EXPECT_EQ(status.message, "Conv2D conv1: attribute strides (ListInt) is required");
}

}  // namespace
}  // namespace belay::graph
