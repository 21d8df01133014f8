// SPDX-License-Identifier: Apache-2.0
// Subgraphs of constants are computed when a model is loaded, and never again. Oracle: arithmetic by hand; an observer
// that wants everything says which nodes ran.
#include "executor/compile/computed_constants.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "executor/compile/memory_estimate.h"
#include "executor/loaded_model.h"
#include "unit/graph/builder.h"

namespace belay::executor {
namespace {

using graph::Builder;
using graph::DataType;
using graph::Edge;
using graph::Shape;
using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;
using Floats = std::vector<float>;
using Names = std::vector<std::string>;

// Names of the nodes that ran, in their order.
class Ran : public Observer {
 public:
  bool wants(const graph::Node&) const override { return true; }
  void ran(const RunInfo&, const graph::Node& node, std::span<const Tensor>, std::span<const Tensor>) override {
    if (!graph::is_graph_input(node)) names.push_back(node.name);
  }
  Names names;
};

struct Loaded {
  explicit Loaded(graph::Model made) {
    auto loaded = load(std::make_shared<const graph::Model>(std::move(made)), {.observers = {seen}});
    EXPECT_TRUE(loaded.ok()) << loaded.status().message;
    if (loaded.ok()) model = std::move(loaded).value();
  }
  Floats run(Shape shape, Floats x, size_t count) {
    Floats result(count, -1);
    std::vector<Tensor> outputs = {{DataType::Float, {}, backend::Layout::Plain, result.data()}};
    const Tensor input{DataType::Float, std::move(shape), backend::Layout::Plain, x.data()};
    const Status status = model->run({}, {&input, 1}, outputs);
    EXPECT_TRUE(status.ok()) << status.message;
    return result;
  }

  std::shared_ptr<Ran> seen = std::make_shared<Ran>();
  std::unique_ptr<LoadedModel> model;
};

Names types_of(const graph::Graph& graph) {
  Names types;
  for (const graph::Node& node : graph.nodes) types.push_back(node.type);
  return types;
}

// value in all of `shape`
Edge filled(Builder& b, const std::string& name, const Shape& shape, float value) {
  return b.op("Fill", name,
              {b.ints(name + "_dims", shape), b.constant(name + "_value", DataType::Float, {}, Floats{value})});
}

TEST(ComputedConstants, ALargeSubgraphIsComputedOnceWhateverItsSize) {
  constexpr int64_t rows = 1024, columns = 1024;  // 4 MiB: more than the converter folds
  Builder b("net");
  const Edge x = b.data("x", DataType::Float, {1, rows}, 0);
  const Edge twos = filled(b, "twos", {rows, columns}, 2);
  const Edge one = b.constant("one", DataType::Float, {columns}, Floats(columns, 1));
  const Edge threes = b.op("Add", "threes", {twos, one});
  const Edge weights = b.op("Transpose", "weights", {threes, b.ints("perm", {1, 0})});
  b.outputs({b.op("MatMulV2", "product", {x, weights})});
  Loaded net(b.model());
  for (int times = 0; times < 2; ++times) EXPECT_THAT(net.run({1, rows}, Floats(rows, 1), columns), Each(3.0f * rows));
  EXPECT_THAT(net.seen->names, ElementsAre("product", "product"));
}

TEST(ComputedConstants, TheyDoNotDependOnTheShapesOfTheInputs) {
  Builder b("net");
  const Edge x = b.data("x", DataType::Float, {-1, 2}, 0);
  const Edge twos = filled(b, "twos", {2, 3}, 2);
  b.outputs({b.op("MatMulV2", "product", {x, b.op("Exp", "weights", {b.op("Log", "log", {twos})})})});
  Loaded net(b.model());
  EXPECT_TRUE(net.model->dynamic());
  EXPECT_THAT(net.run({1, 2}, {1, 2}, 3), Each(testing::FloatNear(6, 1e-5f)));
  EXPECT_THAT(net.run({2, 2}, {1, 2, 3, 4}, 6), testing::Contains(testing::FloatNear(14, 1e-5f)).Times(3));
  EXPECT_THAT(net.seen->names, ElementsAre("product", "product"));
}

TEST(ComputedConstants, RandomNumbersAreDrawnAtEachExecution) {
  Builder b("net");
  const Edge x = b.data("x", DataType::Float, {4}, 0);
  const Edge noise = b.op("RandomUniform", "noise", {b.ints("shape", {4})}, {{"dtype", DataType::Float}});
  const Edge half = b.constant("half", DataType::Float, {}, Floats{0.5f});
  b.outputs({b.op("Add", "sum", {x, b.op("Mul", "scaled", {noise, half})})});
  Loaded net(b.model());
  const Floats first = net.run({4}, Floats(4, 0), 4), second = net.run({4}, Floats(4, 0), 4);
  EXPECT_NE(first, second);
  EXPECT_THAT(net.seen->names, ElementsAre("noise", "scaled", "sum", "noise", "scaled", "sum"));
}

TEST(ComputedConstants, ABodyComputesItsConstantsOnceAndItsVariablesEachTime) {
  Builder cond("cond"), body("body"), b("net");
  cond.outputs({cond.op("Less", "less", {cond.parameter("i", 0), cond.scalar("three", 3)})});
  const Edge i = body.parameter("i", 0), sum = body.parameter("sum", 1);
  const Edge next = body.op("Add", "next", {i, body.scalar("one", 1)});
  const Edge step = body.op("Neg", "step", {filled(body, "twos", {2}, 2)});
  body.outputs({next, body.op("Sub", "more", {sum, step})});
  const Edge x = b.data("x", DataType::Float, {2}, 0);
  const Edge loop = b.op("While", "loop", {b.scalar("zero", 0), x}, {}, 2);
  b.node(loop).subgraphs = {"cond", "body"};
  b.outputs({{loop.node, 1}});
  graph::Model model = b.model();
  model.graphs.push_back(cond.take());
  model.graphs.push_back(body.take());
  Loaded net(std::move(model));
  EXPECT_THAT(net.run({2}, {1, 5}, 2), ElementsAre(7, 11));
  EXPECT_THAT(net.seen->names, testing::Not(testing::Contains(testing::AnyOf("twos", "step"))));
  EXPECT_THAT(net.seen->names, testing::Contains("next").Times(3));
}

TEST(ComputedConstants, WhatTheyWereMadeOfIsGoneUnlessOthersReadIt) {
  Builder b("net");
  const Edge x = b.data("x", DataType::Float, {2, 2}, 0);
  const Edge gone = b.constant("gone", DataType::Float, {2, 2}, Floats{1, 2, 3, 4});
  const Edge kept = b.constant("kept", DataType::Float, {2, 2}, Floats{5, 6, 7, 8});
  const Edge sum = b.op("Add", "sum", {b.op("Add", "inner", {gone, kept}), kept});
  b.outputs({b.op("Mul", "mul", {b.op("Sub", "sub", {x, sum}), kept})});
  const auto model = std::make_shared<const graph::Model>(b.model());
  const auto made = compute_constants(model, ProgramOptions{});
  EXPECT_THAT(types_of(made->main()), UnorderedElementsAre("Data", "Const", "Const", "Sub", "Mul", "NetOutput"));
  EXPECT_EQ(made->main().find("gone"), -1);
  EXPECT_GE(made->main().find("kept"), 0);
  const graph::Node& node = made->main().nodes[static_cast<size_t>(made->main().find("sum"))];
  const auto* value = graph::get_if<graph::Constant>(node.attributes, "value");
  ASSERT_TRUE(value);
  const auto* numbers = reinterpret_cast<const float*>(value->bytes.data());
  EXPECT_THAT(Floats(numbers, numbers + 4), ElementsAre(11, 14, 17, 20));
  EXPECT_EQ(compute_constants(made, ProgramOptions{}), made);
}

TEST(ComputedConstants, EachOutputOfANodeIsAConstantOfItsOwn) {
  Builder b("net");
  const Edge x = b.data("x", DataType::Float, {2}, 0);
  const Edge all = b.constant("all", DataType::Float, {6}, Floats{1, 2, 3, 4, 5, 6});
  const Edge parts = b.op("SplitD", "parts", {all}, {{"split_dim", int64_t{0}}, {"num_split", int64_t{3}}}, 3);
  b.outputs({b.op("Mul", "mul", {b.op("Add", "add", {x, {parts.node, 2}}), {parts.node, 0}})});
  Loaded net(b.model());
  EXPECT_THAT(net.run({2}, {10, 20}, 2), ElementsAre(15, 52));
  EXPECT_THAT(net.seen->names, ElementsAre("add", "mul"));
}

// Seen with another shape only: the bytes stay those of the constant, which nothing else holds any more.
TEST(ComputedConstants, AViewKeepsTheBytesThatItShows) {
  Builder b("net");
  const Edge x = b.data("x", DataType::Float, {3, 1}, 0);
  const Edge row = b.constant("row", DataType::Float, {1, 2}, Floats{4, 5});
  b.outputs({b.op("Mul", "mul", {x, b.op("Reshape", "shaped", {row, b.ints("shape", {2})})})});
  Loaded net(b.model());
  EXPECT_THAT(net.run({3, 1}, {1, 2, 3}, 6), ElementsAre(4, 5, 8, 10, 12, 15));
}

TEST(ComputedConstants, AnOutputOfTheModelMayBeOne) {
  Builder b("net");
  b.data("x", DataType::Float, {1}, 0);
  b.outputs({b.op("Neg", "result", {filled(b, "twos", {3}, 2)})});
  Loaded net(b.model());
  EXPECT_THAT(net.run({1}, {0}, 3), Each(-2));
  EXPECT_THAT(net.seen->names, IsEmpty());
}

// A place beyond the table: whether anybody minds is seen when the model runs. The others are computed all the same.
TEST(ComputedConstants, WhatCannotBeComputedStaysAndLeavesTheOthersAlone) {
  Builder b("net");
  const Edge x = b.data("x", DataType::Float, {2}, 0);
  const Edge table = b.constant("table", DataType::Float, {2}, Floats{1, 2});
  const Edge bad = b.op("GatherV2", "bad", {table, b.ints("places", {0, 7}), b.scalar("axis", 0)});
  b.outputs({b.op("Add", "first", {x, filled(b, "twos", {2}, 2)}), b.op("Add", "second", {x, bad})});
  const auto model = std::make_shared<const graph::Model>(b.model());
  const auto made = compute_constants(model, ProgramOptions{});
  EXPECT_THAT(types_of(made->main()), testing::Contains("GatherV2"));
  EXPECT_THAT(types_of(made->main()), testing::Not(testing::Contains("Fill")));
}

TEST(ComputedConstants, TheyAreNoPartOfTheWorkMemoryNorOfTheFilesWeights) {
  const auto model = [] {
    Builder b("net");
    const Edge x = b.data("x", DataType::Float, {1, 64}, 0);
    b.outputs({b.op("MatMulV2", "product", {x, filled(b, "twos", {64, 4096}, 2)})});
    return b.model();
  };
  const auto estimate = estimate_memory(model());
  ASSERT_TRUE(estimate.ok());
  EXPECT_LT((*estimate).work_bytes, 64u * 4096 * 4);
  EXPECT_LE(Loaded(model()).model->weight_bytes(), (*estimate).weight_bytes);
}

}  // namespace
}  // namespace belay::executor
