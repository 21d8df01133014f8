// SPDX-License-Identifier: Apache-2.0
// What is told or refused before anything runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backend/known_operators.h"
#include "executor/compile/memory_estimate.h"
#include "executor/loaded_model.h"
#include "unit/graph/builder.h"

namespace belay::executor {
namespace {

using graph::Builder;
using graph::DataType;
using graph::Edge;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(Load, ADynamicModelWithUnknownOperatorsIsRefusedWithAllTheirNames) {
  Builder b("net");
  const Edge x = b.data("x", DataType::Float, {-1, 3}, 0);
  const Edge odd = b.op("NoSuchOperator", "first", {b.op("Relu", "fine", {x})});
  b.node(odd).outputs[0] = {.type = DataType::Float, .shape = {-1, 3}};
  const Edge other = b.op("Odd", "second", {odd});
  b.node(other).outputs[0] = {.type = DataType::Float, .shape = {-1, 3}};
  b.outputs({other});
  const auto loaded = load(std::make_shared<const graph::Model>(b.model()), {});
  EXPECT_EQ(loaded.status().code, static_cast<aclError>(ACL_ERROR_GE_FAILURE));
  EXPECT_THAT(loaded.status().message,
              AllOf(HasSubstr("NoSuchOperator first"), HasSubstr("Odd second"), Not(HasSubstr("fine"))));
}

TEST(Load, WhatIsInsideLoopsBranchesAndFusedNodesIsLookedAtToo) {
  Builder inner("body");
  inner.outputs({inner.op("Inner", "inside", {inner.parameter("p", 0)})});
  Builder members("members");
  members.outputs({members.op("Hidden", "member", {members.data("m", DataType::Float, {2}, 0)})});
  Builder b("net");
  const Edge x = b.data("x", DataType::Float, {2}, 0);
  const Edge call = b.op("PartitionedCall", "call", {x});
  b.node(call).subgraphs = {"body"};
  const Edge fused = b.op("Conv2D", "fused", {call});
  b.node(fused).attributes[std::string(graph::kMembers)] = std::make_shared<graph::Graph>(members.take());
  b.outputs({fused});
  graph::Model model = b.model();
  model.graphs.push_back(inner.take());
  EXPECT_THAT(backend::operators_without_kernel(model), AllOf(HasSubstr("Inner inside"), HasSubstr("Hidden member")));
}

TEST(Load, ANodeFusedByTheVendorsCompilerIsRefusedWithItsMembers) {
  Builder b("net");
  const Edge x = b.data("x", DataType::Float, {2}, 0);
  const Edge fused = b.op("Relu", "ab", {x});
  b.node(fused).attributes["_is_compiled_fusion_op"] = true;
  b.node(fused).attributes["_datadump_original_op_names"] = std::vector<std::string>{"a", "b"};
  b.outputs({fused});
  const auto loaded = load(std::make_shared<const graph::Model>(b.model()), {});
  EXPECT_EQ(loaded.status().code, static_cast<aclError>(ACL_ERROR_GE_FAILURE));
  EXPECT_THAT(loaded.status().message, HasSubstr("Relu ab cannot run: it was fused of a, b"));
}

// x -> Relu -> Neg -> Abs: two tensors of 400 bytes live at a time, each padded to 64.
graph::Model chain(graph::Shape shape) {
  Builder b("chain");
  const Edge x = b.data("x", DataType::Float, shape, 0);
  const Edge w = b.constant("w", DataType::Float, {2}, std::vector<float>{1, 2});
  const Edge y = b.op("Abs", "c", {b.op("Neg", "b", {b.op("Relu", "a", {x})})});
  b.outputs({y, w});
  return b.model();
}

TEST(MemoryEstimate, HoldsTheTensorsThatLiveTogether) {
  const auto estimate = estimate_memory(chain({100}));
  ASSERT_TRUE(estimate.ok()) << estimate.status().message;
  EXPECT_FALSE((*estimate).dynamic);
  EXPECT_EQ((*estimate).work_bytes, 2u * 448);
  EXPECT_EQ((*estimate).weight_bytes, 8u);
}

TEST(MemoryEstimate, OfADynamicModelIsNothing) {
  const auto estimate = estimate_memory(chain({-1, 5}));
  ASSERT_TRUE(estimate.ok()) << estimate.status().message;
  EXPECT_TRUE((*estimate).dynamic);
  EXPECT_EQ((*estimate).work_bytes, 0u);
}

TEST(MemoryEstimate, IsEnoughToLoadWithAndLessIsRefused) {
  const auto model = std::make_shared<const graph::Model>(chain({100}));
  const size_t wanted = (*estimate_memory(*model)).work_bytes;
  alignas(64) static std::byte memory[4096];
  EXPECT_TRUE(load(model, {.work_memory = memory, .work_bytes = wanted}).ok());
  const auto loaded = load(model, {.work_memory = memory, .work_bytes = 64});
  if (!loaded.ok()) {  // a plan that runs in place may need even less
    EXPECT_EQ(loaded.status().code, static_cast<aclError>(ACL_ERROR_GE_PARAM_INVALID));
    EXPECT_THAT(loaded.status().message, HasSubstr("ask aclmdlQuerySize"));
  }
}

}  // namespace
}  // namespace belay::executor
