// SPDX-License-Identifier: Apache-2.0
#include "graph/infer/infer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/infer/rows.h"
#include "graph/model/schema.h"
#include "unit/graph/builder.h"

namespace belay::graph {
namespace {

using testing::HasSubstr;

// The shape of output 0 when this operator gets these shapes; "!" and the message when it refuses.
std::string inferred(const std::string& type, std::vector<Shape> shapes, Attributes attributes = {},
                     std::vector<std::pair<size_t, std::vector<int64_t>>> values = {}) {
  Node node{.name = "n", .type = type};
  node.attributes = std::move(attributes);
  std::vector<TensorInfo> inputs;
  for (const Shape& shape : shapes) inputs.push_back({DataType::Float, shape});
  std::vector<Constant> constants(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    constants[i] = make_constant(DataType::Int64, {static_cast<int64_t>(values[i].second.size())}, values[i].second);
    inputs[values[i].first] = {DataType::Int64, constants[i].shape, &constants[i]};
  }
  InferContext context(node, inputs);
  const Status status = infer(context);
  if (!status.ok()) return "! " + status.message;
  return to_text(context.outputs.at(0).shape);
}

using Ints = std::vector<int64_t>;

TEST(Broadcast, StretchesOnesAndKeepsWhatIsUnknown) {
  EXPECT_EQ(*broadcast({2, 1, 3}, {4, 1}), (Shape{2, 4, 3}));
  EXPECT_EQ(*broadcast({}, {4, 1}), (Shape{4, 1}));
  EXPECT_EQ(*broadcast({-1, 3}, {5, 3}), (Shape{5, 3}));
  EXPECT_EQ(*broadcast({-1, 3}, {1, 3}), (Shape{-1, 3}));
  EXPECT_EQ(*broadcast({1, 3}, {-1, 3}), (Shape{-1, 3}));
  EXPECT_EQ(*broadcast({-2}, {3}), (Shape{-2}));
  EXPECT_EQ(*broadcast({0}, {1}), (Shape{0}));
  EXPECT_THAT(broadcast({2, 3}, {4}).status().message, HasSubstr("[2,3] and [4]"));
}

TEST(InferElementwise, ShapesBroadcastAndTypesFollowTheRule) {
  EXPECT_EQ(inferred("Add", {{2, 1}, {3}}), "[2,3]");
  EXPECT_EQ(inferred("Relu", {{2, -1}}), "[2,-1]");
  EXPECT_THAT(inferred("Mul", {{2}, {3}}), HasSubstr("! Mul n: shapes [2] and [3] do not broadcast"));
  EXPECT_THAT(inferred("Mul", {{2}}), HasSubstr("! Mul n: input 1 (x2) is not connected"));
  EXPECT_EQ(inferred("SelectV2", {{2, 1}, {3}, {}}), "[2,3]");
  EXPECT_EQ(inferred("BiasAdd", {{1, 8, 4, 4}, {8}}), "[1,8,4,4]");
}

// What a kernel would read past its end otherwise.
TEST(InferNorm, InputsAreMadeOfWholeRows) {
  EXPECT_EQ(inferred("RmsNorm", {{2, 3, 4}, {4}}), "[2,3,4]");
  EXPECT_EQ(inferred("RmsNorm", {{2, 3, 4}, {1, 3, 4}}), "[2,3,4]");
  EXPECT_EQ(inferred("RmsNorm", {{2, 3, -1}, {4}}), "[2,3,-1]");
  EXPECT_THAT(inferred("RmsNorm", {{2, 3, 4}, {5}}),
              HasSubstr("gamma [5] does not have the last dimensions of x [2,3,4]"));
  EXPECT_THAT(inferred("RmsNorm", {{4}, {2, 4}}), HasSubstr("gamma [2,4] does not have"));
  EXPECT_THAT(inferred("RmsNorm", {{5, 64}, {1}}), HasSubstr("gamma [1] does not have"));
  EXPECT_THAT(inferred("AddRmsNorm", {{5, 64}, {5, 64}, {1}}), HasSubstr("gamma [1] does not have"));
  EXPECT_EQ(inferred("AddRmsNorm", {{6, 4}, {6, 4}, {4}}), "[6,4]");
  EXPECT_THAT(inferred("AddRmsNorm", {{6, 4}, {1, 4}, {4}}),
              HasSubstr("x1 [6,4] and x2 [1,4] must have the same shape"));
  EXPECT_EQ(inferred("AddLayerNorm", {{6, 4}, {6, 4}, {4}, {4}, {4}}), "[6,4]");
  EXPECT_EQ(inferred("AddLayerNorm", {{6, 4}, {6, 4}, {4}, {4}, {6, 4}}), "[6,4]");
  EXPECT_THAT(inferred("AddLayerNorm", {{6, 4}, {6, 4}, {4}, {4}, {1}}),
              HasSubstr("bias [1] is not made of rows of x [6,4]"));
  EXPECT_THAT(inferred("AddLayerNorm", {{6, 4}, {6, 4}, {4}, {4}, {5, 4}}),
              HasSubstr("bias [5,4] is not made of rows"));
  EXPECT_THAT(inferred("AddLayerNorm", {{6, 4}, {6, 4}, {4}, {3}}),
              HasSubstr("beta [3] is not of the size of gamma [4]"));
}

TEST(InferShape, ReshapeFollowsMinusOneAndZero) {
  const auto reshape = [](Shape x, Ints target, Attributes attributes = {}) {
    return inferred("Reshape", {std::move(x), {}}, std::move(attributes), {{1, std::move(target)}});
  };
  EXPECT_EQ(reshape({2, 3, 4}, {4, -1}), "[4,6]");
  EXPECT_EQ(reshape({2, 3, 4}, {0, -1}), "[2,12]");
  EXPECT_EQ(reshape({-1, 3, 4}, {0, -1}), "[-1,12]");
  EXPECT_EQ(reshape({-1, 3, 4}, {-1, 6}), "[-1,6]");
  EXPECT_EQ(reshape({0, 3}, {0, 5}, {{"allowzero", 1}}), "[0,5]");
  EXPECT_EQ(reshape({-2}, {2, -1}), "[2,-1]");
  EXPECT_THAT(reshape({2, 3}, {4, -1}), HasSubstr("do not divide"));
  EXPECT_THAT(reshape({2, 3}, {7}), HasSubstr("[2,3] has 6 elements, [7] would have 7"));
  EXPECT_THAT(reshape({2, 3}, {-1, -1}), HasSubstr("more than one -1"));
  EXPECT_EQ(inferred("Reshape", {{2, 3}, {3}}), "[-1,-1,-1]");
  EXPECT_EQ(inferred("Reshape", {{2, 3}, {-1}}), "[-2]");
}

TEST(InferShape, DimensionsAreDroppedAddedAndMerged) {
  EXPECT_EQ(inferred("Flatten", {{2, 3, 4}}), "[2,12]");
  EXPECT_EQ(inferred("Flatten", {{2, 3, 4}}, {{"axis", -1}}), "[6,4]");
  EXPECT_EQ(inferred("Flatten", {{2, 3, 4}}, {{"axis", 3}}), "[24,1]");
  EXPECT_EQ(inferred("FlattenV2", {{2, 3, 4, 5}}, {{"axis", 1}, {"end_axis", 2}}), "[2,12,5]");
  EXPECT_EQ(inferred("Squeeze", {{1, 3, 1}}), "[3]");
  EXPECT_EQ(inferred("Squeeze", {{1, 3, 1}}, {{"axis", Ints{-1}}}), "[1,3]");
  EXPECT_EQ(inferred("Squeeze", {{-1, 3, 1}}), "[-2]");
  EXPECT_THAT(inferred("Squeeze", {{1, 3}}, {{"axis", Ints{1}}}), HasSubstr("is not 1"));
  EXPECT_EQ(inferred("SqueezeV3", {{1, 3}, {}}, {}, {{1, {0}}}), "[3]");
  EXPECT_EQ(inferred("Unsqueeze", {{3, 4}}, {{"axes", Ints{0, -1}}}), "[1,3,4,1]");
  EXPECT_EQ(inferred("ExpandDims", {{3, 4}, {}}, {}, {{1, {1}}}), "[3,1,4]");
  EXPECT_THAT(inferred("Unsqueeze", {{3}}, {{"axes", Ints{5}}}), HasSubstr("axis 5 is outside"));
}

TEST(InferShape, TransposesAndExpansions) {
  EXPECT_EQ(inferred("TransposeD", {{2, 3, 4}}, {{"perm", Ints{2, 0, 1}}}), "[4,2,3]");
  EXPECT_EQ(inferred("Transpose", {{2, 3}, {2}}), "[-1,-1]");
  EXPECT_EQ(inferred("Transpose", {{2, 3}, {}}, {}, {{1, {1, 0}}}), "[3,2]");
  EXPECT_THAT(inferred("TransposeD", {{2, 3}}, {{"perm", Ints{1, 1}}}), HasSubstr("appears twice"));
  EXPECT_EQ(inferred("Expand", {{3, 1}, {}}, {}, {{1, {2, 1, 6}}}), "[2,3,6]");
  EXPECT_EQ(inferred("Fill", {{}, {}}, {}, {{0, {2, 5}}}), "[2,5]");
  EXPECT_EQ(inferred("Range", {{}, {}, {}}, {}, {{0, {1}}, {1, {8}}, {2, {3}}}), "[3]");
  EXPECT_EQ(inferred("Range", {{}, {}, {}}), "[-1]");
  EXPECT_EQ(inferred("Shape", {{2, 3, 4}}), "[3]");
  EXPECT_EQ(inferred("Bitcast", {{2, 3}}, {{"type", DataType::Int16}}), "[2,3,2]");
}

TEST(InferReduce, AxesGoOrStayAsOnes) {
  EXPECT_EQ(inferred("ReduceSumD", {{2, 3, 4}}, {{"axes", Ints{1, -1}}}), "[2]");
  EXPECT_EQ(inferred("ReduceSumD", {{2, 3, 4}}, {{"axes", Ints{1}}, {"keep_dims", true}}), "[2,1,4]");
  EXPECT_EQ(inferred("ReduceMean", {{2, 3}, {}}, {}, {{1, {0}}}), "[3]");
  EXPECT_EQ(inferred("ReduceMean", {{2, 3}, {}}, {}, {{1, {}}}), "[2,3]") << "noop_with_empty_axes is true by default";
  EXPECT_EQ(inferred("ReduceMean", {{2, 3}, {}}, {{"noop_with_empty_axes", false}}, {{1, {}}}), "[]");
  EXPECT_EQ(inferred("ReduceMax", {{2, 3}, {1}}), "[-2]");
  EXPECT_EQ(inferred("ArgMaxD", {{2, 3, 4}}, {{"dimension", -2}}), "[2,4]");
  EXPECT_EQ(inferred("LpNormV2", {{2, 3}}, {{"axes", Ints{1}}, {"keepdim", true}}), "[2,1]");
}

TEST(InferRules, EveryRuleNamesADeclaredOperator) {
  for (const auto rows : {infer_rows_elementwise(), infer_rows_shape(), infer_rows_reduce()})
    for (const InferRow& row : rows) EXPECT_TRUE(find_schema(row.op)) << row.op;
  EXPECT_TRUE(find_infer_rule("Add"));
  EXPECT_EQ(find_infer_rule("NoSuchOperator"), nullptr);
  EXPECT_EQ(inferred("NoSuchOperator", {{1}}), "! NoSuchOperator n: no shape rule for this operator type");
}

Shape output_shape(const Model& model, std::string_view name, int output = 0) {
  return model.main().nodes[model.main().find(name)].outputs[output].shape;
}

TEST(InferShapes, ADimensionTakenFromShapeReachesReshape) {
  Builder b("m");
  const Edge x = b.data("x", DataType::Float, {2, 3, 4}, 0);
  const Edge dims = b.op("Shape", "dims", {x}, {{"dtype", 9}});
  const Edge two = b.op("Mul", "twice", {dims, b.ints("factor", {2, 1, 1})});
  const Edge half = b.op("FloorDiv", "half", {two, b.ints("divisor", {4, 1, 1})});
  const Edge one = b.op("Reshape", "as_row", {half, b.ints("row", {1, 3})});
  const Edge back = b.op("Squeeze", "back", {one}, {{"axis", std::vector<int64_t>{0}}});
  const Edge picked = b.op("Maximum", "at_least", {back, b.ints("floor", {1, 6, 1})});
  b.outputs({b.op("Reshape", "y", {x, picked})});
  Model model = b.model();
  ASSERT_EQ(infer_shapes(model).message, "");
  EXPECT_EQ(output_shape(model, "y"), (Shape{1, 6, 4}));
  EXPECT_EQ(model.main().nodes.back().input_descs[0].shape, (Shape{1, 6, 4}));
  EXPECT_EQ(model.main().nodes.back().input_descs[0].type, DataType::Float);
}

TEST(InferShapes, AShapeOfWhichOneDimensionIsDynamicGivesTheOthers) {
  Builder b("m");
  const Edge x = b.data("x", DataType::Float, {-1, 3, 4}, 0);
  const Edge dims = b.op("Shape", "dims", {x}, {{"dtype", 9}});
  const Edge wanted = b.op("Mul", "wanted", {dims, b.ints("factor", {1, 2, 3})});
  b.outputs({b.op("Reshape", "y", {b.data("z", DataType::Float, {-1, 72}, 1), wanted})});
  Model model = b.model();
  ASSERT_EQ(infer_shapes(model).message, "");
  EXPECT_EQ(output_shape(model, "y"), (Shape{-1, 6, 12}));
}

TEST(InferShapes, WhatHasNoRuleKeepsTheShapesItHas) {
  Builder b("m");
  const Edge x = b.data("x", DataType::Float, {2}, 0);
  const Edge y = b.op("MadeUp", "y", {x});
  b.node(y).outputs[0] = {.type = DataType::Int8, .shape = {7}, .origin_shape = {7}};
  b.outputs({b.op("Relu", "z", {y})});
  Model model = b.model();
  ASSERT_EQ(infer_shapes(model).message, "");
  EXPECT_EQ(output_shape(model, "z"), (Shape{7}));

  model.main().nodes[1].outputs[0].origin_shape = model.main().nodes[1].outputs[0].shape = {-1};
  EXPECT_EQ(infer_shapes(model).message, "MadeUp y: no shape rule for this operator type");
}

TEST(InferShapes, AFusedNodeIsInferredThroughItsMembers) {
  Builder members("members");
  const Edge a = members.data("a", DataType::Undefined, {-2}, 0), c = members.data("c", DataType::Undefined, {-2}, 1);
  members.outputs({members.op("Relu", "relu", {members.op("Add", "add", {a, c})})});
  Builder b("m");
  const Edge x = b.data("x", DataType::Float16, {2, 3}, 0), y = b.data("y", DataType::Float16, {3}, 1);
  const Edge fused = b.op("AddRelu", "add+relu", {x, y});
  b.node(fused).attributes[std::string(kMembers)] = std::make_shared<Graph>(members.take());
  b.outputs({fused});
  Model model = b.model();
  ASSERT_EQ(infer_shapes(model).message, "");
  EXPECT_EQ(output_shape(model, "add+relu"), (Shape{2, 3}));
  EXPECT_EQ(model.main().nodes[2].outputs[0].type, DataType::Float16);
}

TEST(InferShapes, WhereBranchesDifferTheDimensionIsUnknown) {
  Builder yes("yes"), no("no"), b("m");
  yes.outputs({yes.op("Relu", "r", {yes.parameter("p", 1)})});
  no.outputs({no.op("Unsqueeze", "u", {no.op("Squeeze", "s", {no.parameter("p", 2)}, {{"axis", Ints{0}}})},
                    {{"axes", Ints{0}}})});
  const Edge cond = b.data("cond", DataType::Bool, {}, 0);
  const Edge x = b.data("x", DataType::Float, {4, 3}, 1), z = b.data("z", DataType::Float, {1, 3}, 2);
  const Edge chosen = b.op("If", "if", {cond, x, z});
  b.node(chosen).subgraphs = {"yes", "no"};
  b.outputs({chosen});
  Model model = b.model();
  model.graphs.push_back(yes.take());
  model.graphs.push_back(no.take());
  ASSERT_EQ(infer_shapes(model).message, "");
  EXPECT_EQ(output_shape(model, "if"), (Shape{-1, 3}));
  EXPECT_EQ(model.find_graph("no")->nodes[1].outputs[0].shape, (Shape{3}));

  model.main().nodes[3].subgraphs[1] = "nowhere";
  EXPECT_THAT(infer_shapes(model).message, HasSubstr("If if: subgraph nowhere does not exist"));
}

// A shape that was computed when the gear was made is a constant of its branch: it fits no other gear.
TEST(InferShapes, EachGearHasItsOwnShapesAndTheLargestCounts) {
  Builder small("small"), large("large"), b("m");
  for (auto [branch, rows] : {std::pair{&small, 2}, std::pair{&large, 8}}) {
    const Edge x = branch->data("x", DataType::Float, {rows, 3}, 0);
    branch->node(x).attributes["_parent_node_index"] = 1;
    const Edge none = branch->constant("none", DataType::Float, {1}, std::vector<float>{0});
    const Edge filled = branch->op("Expand", "filled", {none, branch->ints("rows", {rows, 3})});
    branch->outputs({branch->op("Add", "sum", {x, filled})});
  }
  const Edge gear = b.data("gear", DataType::Int32, {1}, 1), x = b.data("x", DataType::Float, {8, 3}, 0);
  const Edge chosen = b.op("Case", "case", {gear, x}, {{"_batch_num", int64_t{2}}});
  b.node(chosen).subgraphs = {"large", "small"};
  b.outputs({chosen});
  Model model = b.model();
  model.graphs.push_back(small.take());
  model.graphs.push_back(large.take());
  ASSERT_EQ(infer_shapes(model).message, "");
  EXPECT_EQ(output_shape(model, "case"), (Shape{8, 3}));
  EXPECT_EQ(model.find_graph("small")->nodes[0].outputs[0].shape, (Shape{2, 3}));
}

TEST(InferShapes, WhatALoopChangesIsUnknownAndTheRestIsKept) {
  Builder cond("cond"), body("body"), b("m");
  cond.outputs({cond.op("Less", "less", {cond.parameter("i", 0), cond.scalar("limit", 3)})});
  const Edge i = body.parameter("i", 0), seen = body.parameter("seen", 1), kept = body.parameter("kept", 2);
  const Edge next = body.op("Add", "next", {i, body.scalar("one", 1)});
  const Edge row = body.op("Unsqueeze", "row", {seen}, {{"axes", Ints{0}}});
  const Edge grown = body.op("Flatten", "grown", {row}, {{"axis", 2}});
  body.outputs(
      {next, body.op("Squeeze", "line", {body.op("Flatten", "f", {grown}, {{"axis", 0}})}, {{"axis", Ints{0}}}), kept});
  const Edge start = b.scalar("zero", 0), x = b.data("x", DataType::Float, {2, 5}, 0),
             y = b.data("y", DataType::Float, {7}, 1);
  const Edge loop = b.op("While", "loop", {start, x, y}, {}, 3);
  b.node(loop).subgraphs = {"cond", "body"};
  b.outputs({{loop.node, 0}, {loop.node, 1}, {loop.node, 2}});
  Model model = b.model();
  model.graphs.push_back(cond.take());
  model.graphs.push_back(body.take());
  ASSERT_EQ(infer_shapes(model).message, "");
  EXPECT_EQ(output_shape(model, "loop", 0), Shape{});
  EXPECT_EQ(output_shape(model, "loop", 1), (Shape{-2})) << "[2,5] first, [10] after";
  EXPECT_EQ(output_shape(model, "loop", 2), (Shape{7}));
}

}  // namespace
}  // namespace belay::graph
