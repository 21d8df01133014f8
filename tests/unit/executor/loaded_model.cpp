// SPDX-License-Identifier: Apache-2.0
#include "executor/loaded_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "unit/graph/builder.h"

namespace belay::executor {
namespace {

using graph::Builder;
using graph::DataType;
using graph::Edge;
using graph::Shape;
using testing::ElementsAre;
using testing::HasSubstr;

Tensor tensor(DataType type, Shape shape, void* data) { return {type, std::move(shape), backend::Layout::Plain, data}; }

std::unique_ptr<LoadedModel> must_load(graph::Model model, LoadOptions options = {}) {
  auto loaded = load(std::make_shared<const graph::Model>(std::move(model)), options);
  EXPECT_TRUE(loaded.ok()) << loaded.status().message;
  return loaded.ok() ? std::move(loaded).value() : nullptr;
}

// Runs a model of float tensors whose one output has `count` elements.
std::vector<float> run(LoadedModel& model, std::vector<std::pair<Shape, std::vector<float>>> inputs, size_t count) {
  std::vector<Tensor> taken;
  for (auto& [shape, values] : inputs) taken.push_back(tensor(DataType::Float, shape, values.data()));
  std::vector<float> result(count, -1);
  std::vector<Tensor> given = {tensor(DataType::Float, {}, result.data())};
  const Status status = model.run({}, taken, given);
  EXPECT_TRUE(status.ok()) << status.message;
  return result;
}

// y = relu(a + b) * a
graph::Model small_model(Shape shape) {
  Builder b("small");
  const Edge x = b.data("a", DataType::Float, shape, 0), y = b.data("b", DataType::Float, shape, 1);
  const Edge sum = b.op("Add", "sum", {x, y});
  const Edge positive = b.op("Relu", "positive", {sum});
  b.outputs({b.op("Mul", "product", {positive, x})});
  return b.model();
}

TEST(LoadedModel, ComputesWhatTheGraphSays) {
  auto model = must_load(small_model({4}));
  EXPECT_FALSE(model->dynamic());
  EXPECT_THAT(run(*model, {{{4}, {1, 2, 3, 4}}, {{4}, {1, -5, 0, 1}}}, 4), ElementsAre(2, 0, 9, 20));
  EXPECT_THAT(run(*model, {{{4}, {2, 2, 2, 2}}, {{4}, {0, 0, 0, 0}}}, 4), ElementsAre(4, 4, 4, 4));
}

TEST(LoadedModel, InPlaceAndReuseLeaveNeededTensorsAlone) {
  // a long chain that could all be in place, with a reader of an early tensor at its end
  Builder b("chain");
  const Edge x = b.data("x", DataType::Float, {3}, 0);
  const Edge early = b.op("Neg", "early", {x});
  Edge chain = early;
  for (int i = 0; i < 6; ++i) chain = b.op("Neg", "neg" + std::to_string(i), {chain});
  b.outputs({b.op("Add", "end", {chain, early})});
  EXPECT_THAT(run(*must_load(b.model()), {{{3}, {1, 2, 3}}}, 3), ElementsAre(-2, -4, -6));
}

TEST(LoadedModel, AnInputOrConstantCanBeAnOutputAndAValueTwoOutputs) {
  Builder b("through");
  const Edge x = b.data("x", DataType::Float, {2}, 0);
  const Edge c = b.constant("c", DataType::Float, {2}, std::vector<float>{7, 8});
  const Edge n = b.op("Neg", "n", {x});
  b.outputs({x, c, n, n});
  auto model = must_load(b.model());
  float in[2] = {1, 2}, out[4][2];
  const std::vector<Tensor> taken = {tensor(DataType::Float, {2}, in)};
  std::vector<Tensor> given;
  for (auto& row : out) given.push_back(tensor(DataType::Float, {}, row));
  const Status status = model->run({}, taken, given);
  ASSERT_TRUE(status.ok()) << status.message;
  EXPECT_THAT(out[0], ElementsAre(1, 2));
  EXPECT_THAT(out[1], ElementsAre(7, 8));
  EXPECT_THAT(out[2], ElementsAre(-1, -2));
  EXPECT_THAT(out[3], ElementsAre(-1, -2));
  EXPECT_EQ(given[2].shape, Shape{2});
}

TEST(LoadedModel, DynamicShapesAreTakenFromTheInputs) {
  auto model = must_load(small_model({-1}));
  EXPECT_TRUE(model->dynamic());
  EXPECT_THAT(run(*model, {{{2}, {1, 2}}, {{2}, {1, -5}}}, 2), ElementsAre(2, 0));
  EXPECT_THAT(run(*model, {{{3}, {1, 2, 3}}, {{3}, {0, 0, 0}}}, 3), ElementsAre(1, 4, 9));
  const std::vector<graph::TensorInfo> infos = {{DataType::Float, {5}}, {DataType::Float, {5}}};
  EXPECT_EQ((*model->infer_outputs(infos))[0].shape, Shape{5});
}

TEST(LoadedModel, EveryNodeThatCannotRunIsNamedAtOnce) {
  Builder b("strange");
  const Edge x = b.data("x", DataType::Float, {2}, 0);
  for (const char* name : {"one", "two"}) {
    const Edge made = b.op("NoSuchOperator", name, {x});
    b.node(made).outputs[0] = {.type = DataType::Float, .shape = {2}};
  }
  b.outputs({Edge{1, 0}, Edge{2, 0}});
  const auto loaded = load(std::make_shared<const graph::Model>(b.model()), {});
  ASSERT_FALSE(loaded.ok());
  EXPECT_THAT(loaded.status().message, HasSubstr("one"));
  EXPECT_THAT(loaded.status().message, HasSubstr("two"));
}

TEST(LoadedModel, WorkMemoryThatIsTooSmallIsRefusedWithBothSizes) {
  LoadOptions options;
  std::vector<std::byte> memory(8);
  options.work_memory = memory.data();
  options.work_bytes = memory.size();
  Builder b("work");
  const Edge x = b.data("x", DataType::Float, {100}, 0);
  b.outputs({b.op("Add", "b", {b.op("Neg", "a", {x}), x})});
  const auto loaded = load(std::make_shared<const graph::Model>(b.model()), options);
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.status().code, static_cast<aclError>(ACL_ERROR_GE_PARAM_INVALID));
  EXPECT_THAT(loaded.status().message, HasSubstr("workSize is 8"));
}

// Keeps what it is shown.
class Witness : public Observer {
 public:
  explicit Witness(std::string wanted) : wanted_(std::move(wanted)) {}
  bool wants(const graph::Node& node) const override { return node.name == wanted_; }
  void ran(const RunInfo& run, const graph::Node&, std::span<const Tensor> inputs,
           std::span<const Tensor> outputs) override {
    for (const Tensor& input : inputs) seen.insert(seen.end(), input.as<float>(), input.as<float>() + input.count());
    for (const Tensor& output : outputs)
      seen.insert(seen.end(), output.as<float>(), output.as<float>() + output.count());
    task = run.task_id;
  }
  std::vector<float> seen;
  uint32_t task = 99;

 private:
  const std::string wanted_;
};

TEST(LoadedModel, AnObserverSeesTheWantedNodeOnlyAndTheResultIsTheSame) {
  auto witness = std::make_shared<Witness>("positive");
  LoadOptions options;
  options.observers = {witness};
  auto model = must_load(small_model({2}), options);
  EXPECT_THAT(run(*model, {{{2}, {1, 2}}, {{2}, {1, -5}}}, 2), ElementsAre(2, 0));
  EXPECT_THAT(witness->seen, ElementsAre(2, -3, 2, 0));  // its input, then its output
  EXPECT_EQ(witness->task, 1u);
}

TEST(LoadedModel, ADataNodeCanBeWatchedToo) {
  auto witness = std::make_shared<Witness>("b");
  LoadOptions options;
  options.observers = {witness};
  run(*must_load(small_model({2}), options), {{{2}, {1, 2}}, {{2}, {1, -5}}}, 2);
  EXPECT_THAT(witness->seen, ElementsAre(1, -5));
}

// An allocator that counts, and overwrites what is freed.
class Counting : public Allocator {
 public:
  Result<void*> allocate(size_t bytes) override {
    if (allocated == fail_at) return Status{ACL_ERROR_GE_FAILURE, "no more"};
    ++allocated;
    auto* block = static_cast<std::byte*>(std::aligned_alloc(64, (bytes + 63) / 64 * 64));
    sizes[block] = bytes;
    return block;
  }
  void free(void* address) override {
    ++freed;
    std::fill_n(static_cast<std::byte*>(address), sizes.at(address), std::byte{0xee});
    std::free(address);
    sizes.erase(address);
  }
  int allocated = 0, freed = 0, fail_at = -1;
  std::map<void*, size_t> sizes;
};

TEST(LoadedModel, ADynamicModelTakesItsMemoryFromTheAllocatorAndGivesItBack) {
  auto model = must_load(small_model({-1}));
  Counting allocator;
  std::vector<float> a = {1, 2, 3}, b = {0, 0, 0}, out(3);
  const std::vector<Tensor> taken = {tensor(DataType::Float, {3}, a.data()), tensor(DataType::Float, {3}, b.data())};
  std::vector<Tensor> given = {tensor(DataType::Float, {}, out.data())};
  ASSERT_TRUE(model->run({}, taken, given, &allocator).ok());
  EXPECT_THAT(out, ElementsAre(1, 4, 9));
  EXPECT_GE(allocator.allocated, 1);
  EXPECT_EQ(allocator.freed, allocator.allocated);

  allocator.fail_at = allocator.allocated;
  EXPECT_EQ(model->run({}, taken, given, &allocator).code, ACL_ERROR_GE_FAILURE);
  EXPECT_EQ(allocator.freed, allocator.allocated);
  allocator.fail_at = -1;
  EXPECT_TRUE(model->run({}, taken, given, &allocator).ok());
}

// if (x[0] > 0) y = -x else y = x + x
graph::Model choice_model() {
  Builder then_branch("then");
  then_branch.outputs({then_branch.op("Neg", "negate", {then_branch.parameter("p", 1)})});
  Builder else_branch("else");
  const Edge p = else_branch.parameter("q", 1);
  else_branch.outputs({else_branch.op("Add", "double", {p, p})});
  Builder b("choice");
  const Edge c = b.data("c", DataType::Bool, {}, 0), x = b.data("x", DataType::Float, {2}, 1);
  const Edge made = b.op("If", "if", {c, x});
  b.node(made).subgraphs = {"then", "else"};
  b.outputs({made});
  graph::Model model = b.model();
  model.graphs.push_back(then_branch.take());
  model.graphs.push_back(else_branch.take());
  return model;
}

TEST(LoadedModel, ABranchIsChosenByItsCondition) {
  auto model = must_load(choice_model());
  float x[2] = {1, 2}, out[2];
  for (uint8_t condition : {1, 0}) {
    const std::vector<Tensor> taken = {tensor(DataType::Bool, {}, &condition), tensor(DataType::Float, {2}, x)};
    std::vector<Tensor> given = {tensor(DataType::Float, {}, out)};
    const Status status = model->run({}, taken, given);
    ASSERT_TRUE(status.ok()) << status.message;
    EXPECT_THAT(out, condition ? ElementsAre(-1, -2) : ElementsAre(2, 4));
  }
}

// while (x < 100) x = x + x
TEST(LoadedModel, ALoopEndsWhenItsConditionDoes) {
  Builder condition("cond");
  const Edge limit = condition.constant("limit", DataType::Float, {}, std::vector<float>{100});
  condition.outputs({condition.op("Less", "less", {condition.parameter("v", 0), limit})});
  Builder body("body");
  const Edge v = body.parameter("w", 0);
  body.outputs({body.op("Add", "double", {v, v})});
  Builder b("loop");
  const Edge made = b.op("While", "while", {b.data("x", DataType::Float, {}, 0)});
  b.node(made).subgraphs = {"cond", "body"};
  b.outputs({made});
  graph::Model model = b.model();
  model.graphs.push_back(condition.take());
  model.graphs.push_back(body.take());
  EXPECT_THAT(run(*must_load(std::move(model)), {{{}, {3}}}, 1), ElementsAre(192));
}

TEST(LoadedModel, AFusedNodeRunsItsMembers) {
  Builder members("members");
  const Edge a = members.data("in0", DataType::Float, {2}, 0), c = members.data("in1", DataType::Float, {2}, 1);
  members.outputs({members.op("Relu", "relu", {members.op("Sub", "sub", {a, c})})});
  Builder b("fused");
  const Edge x = b.data("x", DataType::Float, {2}, 0), y = b.data("y", DataType::Float, {2}, 1);
  const Edge made = b.op("Sub", "subrelu", {x, y});
  b.node(made).attributes["_belay_members"] = std::make_shared<graph::Graph>(members.take());
  b.outputs({made});
  EXPECT_THAT(run(*must_load(b.model()), {{{2}, {1, 5}}, {{2}, {3, 1}}}, 2), ElementsAre(0, 4));
}

TEST(LoadedModel, AFailingKernelNamesItsNode) {
  Builder b("gather");
  const Edge x = b.data("x", DataType::Float, {2}, 0), i = b.data("i", DataType::Int64, {1}, 1);
  b.outputs({b.op("GatherV2", "pick", {x, i, b.scalar("axis", 0)})});
  auto model = must_load(b.model());
  ASSERT_NE(model, nullptr);
  float values[2] = {1, 2}, out[1];
  int64_t index = 7;
  const std::vector<Tensor> taken = {tensor(DataType::Float, {2}, values), tensor(DataType::Int64, {1}, &index)};
  std::vector<Tensor> given = {tensor(DataType::Float, {}, out)};
  const Status status = model->run({}, taken, given);
  EXPECT_EQ(status.code, ACL_ERROR_RT_AICORE_EXCEPTION);
  EXPECT_THAT(status.message, HasSubstr("GatherV2 pick"));
}

// Models of each kind: fixed shapes, shapes that come with the input, and shapes that only the run can tell.
TEST(LoadedModel, AFailedRunTakesBackTheOutputsThatItAllocated) {
  for (const bool node_by_node : {false, true}) {
    for (const int64_t length : {2, -1}) {
      Builder b("gather");
      const Edge x = b.data("x", DataType::Float, {length}, 0), i = b.data("i", DataType::Int64, {1}, 1);
      std::vector<Edge> results = {b.op("Neg", "first", {x}), b.op("GatherV2", "pick", {x, i, b.scalar("axis", 0)})};
      if (node_by_node) results.push_back(b.op("NonZero", "places", {x}, {{"dtype", DataType::Int64}}));
      b.outputs(results);
      auto model = must_load(b.model());
      ASSERT_NE(model, nullptr);
      float values[2] = {1, 2};
      int64_t index = 7;
      const std::vector<Tensor> taken = {tensor(DataType::Float, {2}, values), tensor(DataType::Int64, {1}, &index)};
      std::vector<Tensor> given(results.size());
      EXPECT_EQ(model->run({}, taken, given).code, ACL_ERROR_RT_AICORE_EXCEPTION);
      for (const Tensor& output : given) EXPECT_EQ(output.data, nullptr);
      index = 1;  // the memory of a run that ends well is the caller's
      ASSERT_TRUE(model->run({}, taken, given).ok());
      EXPECT_EQ(given[1].as<float>()[0], 2);
      for (const Tensor& output : given) std::free(output.data);
    }
  }
}

// Waits in the middle of a run until it is let go.
class Holding : public Allocator {
 public:
  Result<void*> allocate(size_t bytes) override {
    if (!held_.exchange(true)) {
      inside.set_value();
      go_on.get_future().wait();
    }
    return std::aligned_alloc(64, (bytes + 63) / 64 * 64);
  }
  void free(void* address) override { std::free(address); }
  std::promise<void> inside, go_on;

 private:
  std::atomic<bool> held_{false};
};

TEST(LoadedModel, AnotherExecutionIsMadeReadyWhileARunGoesOn) {
  auto model = must_load(small_model({-1}));
  Holding allocator;
  std::vector<float> a = {1, 2, 3}, b = {0, 0, 0}, out(3);
  const std::vector<Tensor> taken = {tensor(DataType::Float, {3}, a.data()), tensor(DataType::Float, {3}, b.data())};
  auto run = std::async(std::launch::async, [&] {
    std::vector<Tensor> given = {tensor(DataType::Float, {}, out.data())};
    return model->run({}, taken, given, &allocator).ok();
  });
  allocator.inside.get_future().wait();
  for (int64_t length = 1; length < 40; ++length) {  // more than are kept: that of the run falls out of the list
    const std::vector<Tensor> others(2, tensor(DataType::Float, {length}, nullptr));
    EXPECT_TRUE(model->prepare(others).ok());
  }
  allocator.go_on.set_value();
  EXPECT_TRUE(run.get());
  EXPECT_THAT(out, ElementsAre(1, 4, 9));
}

}  // namespace
}  // namespace belay::executor
