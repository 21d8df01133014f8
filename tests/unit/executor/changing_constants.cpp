// SPDX-License-Identifier: Apache-2.0
// A kernel may have a constant packed into it. What was a constant when the kernel was made may be another value the
// next time: a loop's variable, what a branch gave, what a shared graph was called with. Oracle: arithmetic by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "executor/loaded_model.h"
#include "unit/graph/builder.h"

namespace belay::executor {
namespace {

using graph::Builder;
using graph::DataType;
using graph::Edge;
using graph::Shape;
using testing::ElementsAre;
using Floats = std::vector<float>;
using Ints = std::vector<int64_t>;

// A loop whose variable 0 counts to three; the test adds the other variables and the body.
struct ThreeTimes {
  Builder cond{"cond"}, body{"body"}, main{"main"};
  std::vector<Edge> first, next;

  ThreeTimes() {
    cond.outputs({cond.op("Less", "less", {cond.parameter("i", 0), cond.scalar("three", 3)})});
    first.push_back(main.scalar("zero", 0));
    next.push_back(body.op("Add", "count", {body.parameter("i", 0), body.scalar("one", 1)}));
  }
  // A variable that starts as `value`; what the body calls it.
  Edge variable(const std::string& name, Edge value) {
    first.push_back(value);
    return body.parameter(name, static_cast<int>(first.size()) - 1);
  }
  // The loop in `main`; its outputs are the variables.
  Edge write() {
    body.outputs(next);
    const Edge made = main.op("While", "loop", first, {}, first.size());
    main.node(made).subgraphs = {"cond", "body"};
    return made;
  }
  std::unique_ptr<LoadedModel> load() {
    graph::Model model = main.model();
    model.graphs.push_back(cond.take());
    model.graphs.push_back(body.take());
    return loaded(std::move(model));
  }
  static std::unique_ptr<LoadedModel> loaded(graph::Model model) {
    auto made = executor::load(std::make_shared<const graph::Model>(std::move(model)), {});
    EXPECT_TRUE(made.ok()) << made.status().message;
    return made.ok() ? std::move(made).value() : nullptr;
  }
};

Floats run(LoadedModel& model, const Tensor& input, size_t count) {
  Floats result(count, -1);
  std::vector<Tensor> given = {{DataType::Float, {}, backend::Layout::Plain, result.data()}};
  const Status status = model.run({}, {&input, 1}, given);
  EXPECT_TRUE(status.ok()) << status.message;
  return result;
}

Floats run(LoadedModel& model, Shape shape, Floats values, size_t count) {
  return run(model, Tensor{DataType::Float, std::move(shape), backend::Layout::Plain, values.data()}, count);
}

TEST(ChangingConstants, AProductThatIsCarriedIsMultipliedAgainEachTime) {
  ThreeTimes loop;
  const Edge a = loop.variable("a", loop.main.data("x", DataType::Float, {2, 2}, 0));
  const Edge m = loop.variable("m", loop.main.constant("m0", DataType::Float, {2, 2}, Floats{1, 2, 3, 4}));
  loop.next.insert(loop.next.end(), {a, loop.body.op("MatMulV2", "product", {a, m})});
  const Edge done = loop.write();
  loop.main.outputs({{done.node, 2}});
  auto model = loop.load();
  // [1 1; 0 1] cubed is [1 3; 0 1]
  for (int times = 0; times < 2; ++times)
    EXPECT_THAT(run(*model, {2, 2}, {1, 1, 0, 1}, 4), ElementsAre(1 + 3 * 3, 2 + 3 * 4, 3, 4));
  EXPECT_THAT(run(*model, {2, 2}, {2, 0, 0, 1}, 4), ElementsAre(8, 16, 3, 4));
}

TEST(ChangingConstants, AFilterThatDoublesIsNotTheFirstOneForEver) {
  ThreeTimes loop;
  const Edge x = loop.variable("x", loop.main.data("input", DataType::Float, {1, 16, 3, 3}, 0));
  const Edge w = loop.variable("w", loop.main.constant("w0", DataType::Float, {16, 16, 1, 1}, Floats(256, 1)));
  const Edge sum = loop.variable("sum", loop.main.constant("none", DataType::Float, {1, 16, 3, 3}, Floats(144, 0)));
  const graph::Attributes attributes = {{"strides", Ints{1, 1, 1, 1}},
                                        {"pads", Ints{0, 0, 0, 0}},
                                        {"dilations", Ints{1, 1, 1, 1}},
                                        {"groups", int64_t{1}},
                                        {"data_format", std::string("NCHW")}};
  const Edge y = loop.body.op("Conv2D", "conv", {x, w}, attributes);
  loop.next.insert(loop.next.end(), {x, loop.body.op("Add", "twice", {w, w}), loop.body.op("Add", "add", {sum, y})});
  const Edge done = loop.write();
  loop.main.outputs({{done.node, 3}});
  EXPECT_THAT(run(*loop.load(), {1, 16, 3, 3}, Floats(144, 1), 144), testing::Each(16 + 32 + 64));
}

TEST(ChangingConstants, ALimitThatGrowsIsNotTheFirstOneForEver) {
  ThreeTimes loop;
  const Edge x = loop.variable("x", loop.main.data("input", DataType::Float, {2}, 0));
  const Edge limit = loop.variable("limit", loop.main.constant("l0", DataType::Float, {}, Floats{1}));
  loop.variable("last", loop.main.constant("none", DataType::Float, {2}, Floats{0, 0}));
  const Edge zero = loop.body.constant("zero", DataType::Float, {}, Floats{0});
  loop.next.insert(loop.next.end(), {x, loop.body.op("Add", "grown", {limit, limit}),
                                     loop.body.op("ClipByValue", "clip", {x, zero, limit})});
  const Edge done = loop.write();
  loop.main.outputs({{done.node, 3}});
  EXPECT_THAT(run(*loop.load(), {2}, {3.5, 9}, 2), ElementsAre(3.5, 4));  // limits 1, 2, 4
}

// Two constants change places: either is constant, and neither stays.
TEST(ChangingConstants, VariablesThatChangePlacesAreNoConstants) {
  ThreeTimes loop;
  const Edge x = loop.variable("x", loop.main.data("input", DataType::Float, {1, 2}, 0));
  const Edge a = loop.variable("a", loop.main.constant("a0", DataType::Float, {2, 2}, Floats{1, 1, 0, 1}));
  const Edge b = loop.variable("b", loop.main.constant("b0", DataType::Float, {2, 2}, Floats{2, 0, 0, 3}));
  loop.next.insert(loop.next.end(), {loop.body.op("MatMulV2", "product", {x, a}), b, a});
  const Edge done = loop.write();
  loop.main.outputs({{done.node, 1}});
  // (1, 1)·A = (1, 2), ·B = (2, 6), ·A = (2, 8)
  EXPECT_THAT(run(*loop.load(), {1, 2}, {1, 1}, 2), ElementsAre(2, 8));
}

// From the second iteration on the variable is a constant of the body.
TEST(ChangingConstants, AConstantOfTheBodyComesAfterTheFirstValue) {
  ThreeTimes loop;
  const Edge x = loop.variable("x", loop.main.data("input", DataType::Float, {1, 2}, 0));
  const Edge m = loop.variable("m", loop.main.constant("m0", DataType::Float, {2, 2}, Floats{1, 1, 0, 1}));
  const Edge later = loop.body.constant("later", DataType::Float, {2, 2}, Floats{2, 0, 0, 3});
  loop.next.insert(loop.next.end(), {loop.body.op("MatMulV2", "product", {x, m}), later});
  const Edge done = loop.write();
  loop.main.outputs({{done.node, 1}});
  // (1, 1)·M0 = (1, 2), ·later twice = (4, 18)
  EXPECT_THAT(run(*loop.load(), {1, 2}, {1, 1}, 2), ElementsAre(4, 18));
}

TEST(ChangingConstants, WhatTheBodyHandsOnUnchangedIsUsedInEveryIteration) {
  ThreeTimes loop;
  const Edge x = loop.variable("x", loop.main.data("input", DataType::Float, {1, 2}, 0));
  const Edge w = loop.variable("w", loop.main.constant("w0", DataType::Float, {2, 2}, Floats{2, 0, 0, 3}));
  loop.next.insert(loop.next.end(), {loop.body.op("MatMulV2", "product", {x, w}), w});
  const Edge done = loop.write();
  loop.main.outputs({{done.node, 1}});
  EXPECT_THAT(run(*loop.load(), {1, 2}, {1, 1}, 2), ElementsAre(8, 27));
}

// Each branch gives another constant, which a node behind the If multiplies with. (NonZero makes it run node by node.)
TEST(ChangingConstants, TheConstantOfTheBranchThatWasTakenCounts) {
  Builder yes("yes"), no("no"), b("main");
  yes.outputs({yes.constant("double", DataType::Float, {2, 2}, Floats{2, 0, 0, 2})});
  no.outputs({no.constant("triple", DataType::Float, {2, 2}, Floats{3, 0, 0, 3})});
  const Edge x = b.data("x", DataType::Float, {1, 2}, 0);
  const Edge none = b.constant("none", DataType::Float, {1, 2}, Floats{0, 0});
  const Edge above = b.op("Greater", "above", {x, none});
  const Edge all = b.op("ReduceAll", "all", {above, b.ints("axes", {0, 1})}, {{"keep_dims", false}});
  const Edge chosen = b.op("If", "if", {all});
  b.node(chosen).subgraphs = {"yes", "no"};
  const Edge product = b.op("MatMulV2", "product", {x, chosen});
  const Edge places = b.op("NonZero", "places", {x}, {{"dtype", DataType::Int64}});
  b.outputs({product, places});
  graph::Model made = b.model();
  made.graphs.push_back(yes.take());
  made.graphs.push_back(no.take());
  auto model = ThreeTimes::loaded(std::move(made));
  ASSERT_NE(model, nullptr);
  const auto product_of = [&](Floats values) {
    Floats result(2);
    const Tensor input{DataType::Float, {1, 2}, backend::Layout::Plain, values.data()};
    std::vector<Tensor> given(2);
    given[0].data = result.data();
    const Status status = model->run({}, {&input, 1}, given);
    EXPECT_TRUE(status.ok()) << status.message;
    std::free(given[1].data);
    return result;
  };
  EXPECT_THAT(product_of({1, 5}), ElementsAre(2, 10));
  EXPECT_THAT(product_of({-1, 5}), ElementsAre(-3, 15));
  EXPECT_THAT(product_of({2, 5}), ElementsAre(4, 10));
}

// One graph, called by two nodes with different constants.
TEST(ChangingConstants, AGraphThatIsCalledTwiceMultipliesWithWhatEachCallGives) {
  ThreeTimes loop;  // to run node by node
  const Edge x = loop.variable("x", loop.main.data("input", DataType::Float, {1, 2}, 0));
  loop.next.push_back(x);
  const Edge done = loop.write();
  Builder function("function");
  function.outputs({function.op("MatMulV2", "product", {function.parameter("x", 0), function.parameter("w", 1)})});
  Edge value{done.node, 1};
  int calls = 0;
  for (const auto& weights : {Floats{2, 0, 0, 2}, Floats{0, 1, 1, 0}, Floats{1, 0, 0, 5}}) {
    const std::string number = std::to_string(calls++);
    const Edge w = loop.main.constant("w" + number, DataType::Float, {2, 2}, weights);
    value = loop.main.op("PartitionedCall", "call" + number, {value, w});
    loop.main.node(value).subgraphs = {"function"};
  }
  loop.main.outputs({value});
  graph::Model model = loop.main.model();
  model.graphs.push_back(loop.cond.take());
  model.graphs.push_back(loop.body.take());
  model.graphs.push_back(function.take());
  EXPECT_THAT(run(*ThreeTimes::loaded(std::move(model)), {1, 2}, {1, 3}, 2), ElementsAre(6, 10));
}

}  // namespace
}  // namespace belay::executor
