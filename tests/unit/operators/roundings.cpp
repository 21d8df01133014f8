// SPDX-License-Identifier: Apache-2.0
#include "operators/roundings.h"

#include <gtest/gtest.h>

namespace belay::operators {
namespace {

using graph::DataType;

// A graph of operators in a row behind one input.
graph::Graph row(std::initializer_list<std::pair<const char*, DataType>> operators) {
  graph::Graph made;
  for (const auto& [type, result] : operators) {
    graph::Node node{.name = type + std::to_string(made.nodes.size()), .type = type};
    if (!made.nodes.empty()) node.inputs = {{static_cast<int>(made.nodes.size()) - 1, 0}};
    node.outputs.push_back({.type = result, .shape = {2}});
    made.nodes.push_back(std::move(node));
  }
  return made;
}

constexpr auto F16 = DataType::Float16, F32 = DataType::Float, B = DataType::Bool;

TEST(Roundings, OneStepRoundsAtTheEnd) {
  EXPECT_FALSE(rounds_on_the_way(row({{"Data", F16}, {"Exp", F16}, {"NetOutput", F16}}), {}));
  EXPECT_FALSE(rounds_on_the_way(row({{"Data", F16}, {"Neg", F16}, {"Exp", F16}, {"Reshape", F16}}), {}));
  EXPECT_FALSE(rounds_on_the_way(row({{"Data", F16}, {"Cast", F32}, {"Exp", F32}, {"Cast", F16}}), {}));
}

TEST(Roundings, StepsOfFloatDoNot) {
  EXPECT_FALSE(rounds_on_the_way(row({{"Data", F32}, {"Exp", F32}, {"Log", F32}, {"NetOutput", F32}}), {}));
}

TEST(Roundings, AStepBehindARoundedOneDoes) {
  EXPECT_TRUE(rounds_on_the_way(row({{"Data", F16}, {"Exp", F16}, {"Log", F16}}), {}));
  EXPECT_TRUE(rounds_on_the_way(row({{"Data", F16}, {"Exp", F16}, {"Reshape", F16}, {"Less", B}}), {}));
  EXPECT_TRUE(rounds_on_the_way(row({{"Data", F16}, {"MatMulV2", F16}, {"Cast", F32}, {"NetOutput", F32}}), {}));
}

TEST(Roundings, AConstantCountsWhereItIsComputedWith) {
  const int constant[] = {0};
  EXPECT_TRUE(rounds_on_the_way(row({{"Const", F16}, {"BroadcastTo", F16}, {"Mul", F16}}), constant));
  EXPECT_FALSE(rounds_on_the_way(row({{"Const", F16}, {"BroadcastTo", F16}, {"Less", B}}), constant));
  EXPECT_FALSE(rounds_on_the_way(row({{"Const", F16}, {"Maximum", F16}, {"NetOutput", F16}}), constant));
}

}  // namespace
}  // namespace belay::operators
