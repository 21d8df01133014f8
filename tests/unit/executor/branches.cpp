// SPDX-License-Identifier: Apache-2.0
// Branches that do not fit the shapes: harmless until they are taken. The results are arithmetic by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "executor/compile/memory_estimate.h"
#include "executor/loaded_model.h"
#include "unit/graph/builder.h"

namespace belay::executor {
namespace {

using backend::Tensor;
using graph::Builder;
using graph::DataType;
using graph::Edge;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

// condition ? Squeeze(x, 0) : -x
graph::Model squeeze_or_negate(const graph::Shape& shape) {
  Builder squeeze("squeeze"), negate("negate"), b("net");
  squeeze.outputs({squeeze.op("Squeeze", "narrow", {squeeze.parameter("p", 1)}, {{"axis", std::vector<int64_t>{0}}})});
  negate.outputs({negate.op("Neg", "negative", {negate.parameter("p", 1)})});
  const Edge condition = b.data("condition", DataType::Bool, {}, 0), x = b.data("x", DataType::Float, shape, 1);
  const Edge chosen = b.op("If", "choice", {condition, x});
  b.node(chosen).subgraphs = {"squeeze", "negate"};
  b.outputs({chosen});
  graph::Model model = b.model();
  model.graphs.push_back(squeeze.take());
  model.graphs.push_back(negate.take());
  return model;
}

Status run(LoadedModel& model, uint8_t condition, float* x, float* y) {
  const std::vector<Tensor> taken = {{.type = DataType::Bool, .shape = {}, .data = &condition},
                                     {.type = DataType::Float, .shape = {2}, .data = x}};
  std::vector<Tensor> given = {{.type = DataType::Float, .shape = {2}, .data = y}};
  return model.run({}, taken, given);
}

TEST(IllShapedBranch, FailsWhenItIsTakenAndOnlyThen) {
  for (const graph::Shape& shape : {graph::Shape{2}, graph::Shape{-1}}) {  // known at load, or when it runs
    auto loaded = load(std::make_shared<const graph::Model>(squeeze_or_negate(shape)), {});
    ASSERT_TRUE(loaded.ok()) << loaded.status().message;
    const auto model = std::move(loaded).value();
    float x[2] = {1, 2}, y[2] = {};
    EXPECT_EQ(run(*model, 0, x, y).message, "");
    EXPECT_THAT(y, ElementsAre(-1, -2));
    const Status taken = run(*model, 1, x, y);
    EXPECT_FALSE(taken.ok());
    EXPECT_THAT(taken.message, HasSubstr("Squeeze narrow"));
  }
  EXPECT_TRUE(estimate_memory(squeeze_or_negate({2})).ok());
}

// What the converter puts in the place of such a branch.
TEST(IllShapedBranch, RefusedByTheConverterSaysWhyWhenItIsTaken) {
  Builder refused("squeeze");
  refused.outputs({refused.op("BranchRefused", "refusal", {},
                              {{"message", "narrow: Squeeze (opset 13): dimension 0 is 2"},
                               {"types", std::vector<int64_t>{0}},
                               {"shapes", std::vector<std::vector<int64_t>>{{2}}}})});
  graph::Model whole = squeeze_or_negate({2});
  *whole.find_graph("squeeze") = refused.take();
  auto loaded = load(std::make_shared<const graph::Model>(std::move(whole)), {});
  ASSERT_TRUE(loaded.ok()) << loaded.status().message;
  const auto model = std::move(loaded).value();
  EXPECT_FALSE(model->dynamic());
  float x[2] = {1, 2}, y[2] = {};
  EXPECT_EQ(run(*model, 0, x, y).message, "");
  EXPECT_THAT(y, ElementsAre(-1, -2));
  const Status taken = run(*model, 1, x, y);
  EXPECT_EQ(taken.code, static_cast<aclError>(ACL_ERROR_RT_AICORE_EXCEPTION));
  EXPECT_THAT(taken.message, AllOf(HasSubstr("does not fit the shapes"), HasSubstr("dimension 0 is 2")));
}

}  // namespace
}  // namespace belay::executor
