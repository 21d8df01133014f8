// SPDX-License-Identifier: Apache-2.0
// Errors on their way through members and subgraphs. The figures are arithmetic by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "exact/evaluate.h"
#include "exact/judge.h"
#include "graph/infer/infer.h"
#include "unit/graph/builder.h"

namespace belay::exact {
namespace {

using graph::Builder;
using graph::DataType;
using graph::Edge;
using testing::HasSubstr;

constexpr double u = 0x1p-24;

Value numbers(graph::Shape shape, std::vector<double> elements) { return make_value(std::move(shape), elements); }

// A node whose members are made by `make` from one input.
template <class Make>
graph::Node fused(const graph::Shape& shape, const Make& make) {
  Builder inner("members");
  inner.outputs({make(inner, inner.data("__input0", DataType::Float, shape, 0))});
  graph::Node node{.name = "chain", .type = "Chain"};
  node.input_descs = {{.type = DataType::Float, .shape = shape}};
  node.inputs = {Edge{}};
  node.attributes[std::string(graph::kMembers)] = std::make_shared<graph::Graph>(inner.take());
  return node;
}

TEST(Chains, EachMemberAddsItsRoundingAndHandsOnTheOthers) {
  const graph::Node node =
      fused({1}, [](Builder& b, Edge x) { return b.op("Square", "b", {b.op("Square", "a", {x})}); });
  const auto outputs = evaluate({}, node, std::vector<Value>{numbers({1}, {3})});
  ASSERT_TRUE(outputs.ok()) << outputs.status().message;
  EXPECT_EQ((*outputs)[0].value.doubles()[0], 81);
  // 9 is off by 9u, its square by 2 * 9 * 9u and a rounding of 81u.
  EXPECT_NEAR((*outputs)[0].allowed[0], 3 * 81 * u, 0x1p-35);
}

TEST(Chains, WhatIsOnlyMovedTakesItsErrorAlong) {
  const graph::Node node = fused({2}, [](Builder& b, Edge x) {
    return b.op("ReverseV2", "turn", {b.op("Square", "a", {x}), b.ints("axis", {0})});
  });
  const auto outputs = evaluate({}, node, std::vector<Value>{numbers({2}, {1, 2})});
  ASSERT_TRUE(outputs.ok()) << outputs.status().message;
  EXPECT_EQ((*outputs)[0].allowed, (std::vector<double>{4 * u, u}));
}

TEST(Chains, ADivisorThatMayBeZeroPermitsAnything) {
  const graph::Node node = fused({1}, [](Builder& b, Edge x) {
    const Edge far = b.op("Add", "far", {x, b.constant("big", DataType::Float, {1}, std::vector<float>{1e9f})});
    const Edge near = b.op("Sub", "near", {far, b.constant("big2", DataType::Float, {1}, std::vector<float>{1e9f})});
    return b.op("Reciprocal", "one_over", {near});
  });
  const auto outputs = evaluate({}, node, std::vector<Value>{numbers({1}, {1})});  // 1e9 + 1 is no float
  ASSERT_TRUE(outputs.ok()) << outputs.status().message;
  EXPECT_EQ((*outputs)[0].value.doubles()[0], 1);
  EXPECT_TRUE(std::isinf((*outputs)[0].allowed[0]));
}

TEST(Chains, WhatChoosesByRoundedValuesIsNotCheckable) {
  const graph::Node node = fused({2}, [](Builder& b, Edge x) {
    return b.op("ArgMaxD", "which", {b.op("Exp", "e", {x})}, {{"dimension", int64_t{0}}});
  });
  const auto outputs = evaluate({}, node, std::vector<Value>{numbers({2}, {1, 2})});
  ASSERT_FALSE(outputs.ok());
  EXPECT_THAT(outputs.status().message, HasSubstr("ArgMaxD which is not checkable"));
}

TEST(Chains, TheBranchThatIsTakenIsComputed) {
  Builder square("square"), negate("negate"), b("net");
  square.outputs({square.op("Square", "squared", {square.parameter("p", 1)})});
  negate.outputs({negate.op("Neg", "negative", {negate.parameter("p", 1)})});
  const Edge condition = b.data("condition", DataType::Bool, {}, 0), x = b.data("x", DataType::Float, {1}, 1);
  const Edge chosen = b.op("If", "choice", {condition, x});
  b.node(chosen).subgraphs = {"square", "negate"};
  b.outputs({chosen});
  graph::Model model = b.model();
  model.graphs.push_back(square.take());
  model.graphs.push_back(negate.take());
  const graph::Node& node = model.main().nodes[static_cast<size_t>(model.main().find("choice"))];
  for (const bool then : {true, false}) {
    const Value chooses{DataType::Bool, {}, std::make_shared<const std::vector<std::byte>>(1, std::byte{then})};
    const auto outputs = evaluate(model, node, std::vector<Value>{chooses, numbers({1}, {3})});
    ASSERT_TRUE(outputs.ok()) << outputs.status().message;
    EXPECT_EQ((*outputs)[0].value.doubles()[0], then ? 9 : -3);
    EXPECT_EQ((*outputs)[0].allowed[0], then ? 9 * u : 0);
  }
}

TEST(Judge, TellsTheShareTheElementAndHowManyAreOutside) {
  const Output exact{numbers({4}, {1, 2, NAN, INFINITY}), {0.5, 0.5, 0, 0}};
  const Judgement within = judge(exact, numbers({4}, {1.25, 2, NAN, INFINITY}));
  EXPECT_EQ(within.share, 0.5);
  EXPECT_EQ(within.worst, 0);
  EXPECT_EQ(within.outside, 0);
  const Judgement outside = judge(exact, numbers({4}, {1, 3, NAN, 1}));
  EXPECT_EQ(outside.outside, 2);
  EXPECT_EQ(outside.worst, 3);
  EXPECT_FALSE(judge(exact, numbers({2, 2}, {1, 2, 3, 4})).comparable);
}

}  // namespace
}  // namespace belay::exact
