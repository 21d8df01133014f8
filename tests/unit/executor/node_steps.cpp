// SPDX-License-Identifier: Apache-2.0
// What observers are told of the steps of a node, and of nodes that write over their inputs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "executor/loaded_model.h"
#include "unit/graph/builder.h"

namespace belay::executor {
namespace {

using graph::Builder;
using graph::DataType;
using graph::Edge;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<float> floats(const Tensor& tensor) { return {tensor.as<float>(), tensor.as<float>() + tensor.count()}; }

// Keeps what it is shown of floats.
class Witness : public Observer {
 public:
  struct Seen {
    std::string name;
    uint32_t task;
    bool in_place;
    std::vector<std::vector<float>> inputs, outputs;
  };

  explicit Witness(bool keeps, bool steps = true) : keeps_(keeps), steps_(steps) {}
  bool wants(const graph::Node& node) const override { return node.type != "Data"; }
  bool keeps_inputs(const graph::Node&) const override { return keeps_; }
  bool wants_step(const NodeStep& step) const override { return steps_ && step.node->type != "Data"; }
  void starts(const RunInfo& run, const graph::Node& node, std::span<const Tensor> inputs) override {
    started.push_back({node.name, run.task_id, run.in_place, all(inputs), {}});
  }
  void ran(const RunInfo& run, const graph::Node& node, std::span<const Tensor> inputs,
           std::span<const Tensor> outputs) override {
    nodes.push_back({node.name, run.task_id, run.in_place, all(inputs), all(outputs)});
  }
  void ran_step(const RunInfo& run, const NodeStep& step, std::span<const Tensor> inputs,
                std::span<const Tensor> outputs) override {
    steps.push_back({step.type() + " " + step.node->name + "_" + step.name(), run.task_id, run.in_place, all(inputs),
                     all(outputs)});
  }
  std::vector<Seen> started, nodes, steps;

 private:
  static std::vector<std::vector<float>> all(std::span<const Tensor> tensors) {
    std::vector<std::vector<float>> values;
    for (const Tensor& tensor : tensors)
      if (tensor.type == DataType::Float) values.push_back(floats(tensor));
    return values;
  }

  const bool keeps_, steps_;
};

// Runs a model of one input and as many outputs as are said; the first output.
std::vector<float> run(graph::Model model, const std::shared_ptr<Witness>& witness, std::vector<float> x,
                       size_t outputs = 1) {
  LoadOptions options;
  options.observers = {witness};
  auto loaded = load(std::make_shared<const graph::Model>(std::move(model)), options);
  EXPECT_TRUE(loaded.ok()) << loaded.status().message;
  if (!loaded.ok()) return {};
  const std::vector<Tensor> taken = {
      {DataType::Float, {static_cast<int64_t>(x.size())}, backend::Layout::Plain, x.data()}};
  std::vector<Tensor> given(outputs);
  const Status status = (*loaded)->run({}, taken, given);
  EXPECT_TRUE(status.ok()) << status.message;
  const std::vector<float> result = given[0].data ? floats(given[0]) : std::vector<float>{};
  for (const Tensor& tensor : given) std::free(tensor.data);
  return result;
}

// relu(neg(x) - 1) as one node that no kernel computes, behind another one; `beside` makes the shapes of the model
// depend on its data.
graph::Model fused_model(bool beside) {
  Builder members("members");
  const Edge in = members.data("in0", DataType::Float, {3}, 0);
  const Edge one = members.constant("one", DataType::Float, {1}, std::vector<float>{1});
  members.outputs({members.op("Relu", "relu", {members.op("Sub", "sub", {in, one})})});
  Builder b("fused");
  const Edge x = b.data("x", DataType::Float, {3}, 0);
  const Edge made = b.op("Sub", "subrelu", {b.op("Neg", "neg", {x})});
  b.node(made).attributes["_belay_members"] = std::make_shared<graph::Graph>(members.take());
  if (beside)
    b.outputs({made, b.op("NonZero", "where", {x})});
  else
    b.outputs({made});
  return b.model();
}

TEST(NodeSteps, MembersAreTheStepsOfAFusedNodeWhoeverRunsThem) {
  for (const bool dynamic : {false, true}) {
    const auto witness = std::make_shared<Witness>(true);
    EXPECT_THAT(run(fused_model(dynamic), witness, {-3, 2, -5}, dynamic ? 2 : 1), ElementsAre(2, 0, 4));
    ASSERT_THAT(witness->steps, SizeIs(2)) << dynamic;
    EXPECT_EQ(witness->steps[0].name, "Sub subrelu_sub");
    EXPECT_EQ(witness->steps[1].name, "Relu subrelu_relu");
    EXPECT_THAT(witness->steps[0].outputs, ElementsAre(ElementsAre(2, -3, 4)));
    EXPECT_THAT(witness->steps[1].inputs, ElementsAre(ElementsAre(2, -3, 4)));
    EXPECT_THAT(witness->steps[1].outputs, ElementsAre(ElementsAre(2, 0, 4)));
    for (const auto& step : witness->steps) EXPECT_EQ(step.task, 1u);  // that of the node
    EXPECT_EQ(witness->nodes[1].name, "subrelu");
    EXPECT_EQ(witness->nodes[1].task, 1u);
  }
}

TEST(NodeSteps, NodesThatRunAsOneHaveNone) {
  Builder b("whole");
  const Edge x = b.data("x", DataType::Float, {3}, 0);
  b.outputs({b.op("Neg", "neg", {x})});
  const auto witness = std::make_shared<Witness>(true);
  EXPECT_THAT(run(b.model(), witness, {1, 2, 3}), ElementsAre(-1, -2, -3));
  EXPECT_THAT(witness->steps, IsEmpty());
}

TEST(NodeSteps, WhoDoesNotWantThemIsNotShownThem) {
  const auto witness = std::make_shared<Witness>(true, false);
  EXPECT_THAT(run(fused_model(false), witness, {-3, 2, -5}), ElementsAre(2, 0, 4));
  EXPECT_THAT(witness->steps, IsEmpty());
  EXPECT_THAT(witness->nodes, SizeIs(2));
}

graph::Model chain() {
  Builder b("chain");
  Edge edge = b.data("x", DataType::Float, {3}, 0);
  for (int i = 0; i < 4; ++i) edge = b.op("Neg", "neg" + std::to_string(i), {edge});
  b.outputs({edge});
  return b.model();
}

TEST(InPlace, AnObserverThatLooksAtInputsAfterwardsKeepsThem) {
  const auto witness = std::make_shared<Witness>(true);
  EXPECT_THAT(run(chain(), witness, {1, 2, 3}), ElementsAre(1, 2, 3));
  ASSERT_THAT(witness->nodes, SizeIs(4));
  for (size_t i = 0; i < 4; ++i) {
    const float sign = i % 2 == 0 ? 1 : -1;
    EXPECT_FALSE(witness->nodes[i].in_place);
    EXPECT_THAT(witness->nodes[i].inputs, ElementsAre(ElementsAre(sign, 2 * sign, 3 * sign)));
    EXPECT_THAT(witness->nodes[i].outputs, ElementsAre(ElementsAre(-sign, -2 * sign, -3 * sign)));
  }
}

TEST(InPlace, OneThatDoesNotIsToldWhereTheyAreOverwritten) {
  const auto witness = std::make_shared<Witness>(false);
  EXPECT_THAT(run(chain(), witness, {1, 2, 3}), ElementsAre(1, 2, 3));
  ASSERT_THAT(witness->nodes, SizeIs(4));
  ASSERT_THAT(witness->started, SizeIs(4));
  // The first reads the caller's memory, the last writes to it.
  EXPECT_FALSE(witness->nodes[0].in_place || witness->nodes[3].in_place);
  EXPECT_TRUE(witness->nodes[1].in_place && witness->nodes[2].in_place);
  for (size_t i = 0; i < 4; ++i) {
    const float sign = i % 2 == 0 ? 1 : -1;
    EXPECT_EQ(witness->started[i].in_place, witness->nodes[i].in_place);
    EXPECT_THAT(witness->started[i].inputs, ElementsAre(ElementsAre(sign, 2 * sign, 3 * sign)));
    EXPECT_THAT(witness->nodes[i].outputs, ElementsAre(ElementsAre(-sign, -2 * sign, -3 * sign)));
  }
}

}  // namespace
}  // namespace belay::executor
