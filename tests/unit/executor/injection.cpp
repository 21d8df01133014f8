// SPDX-License-Identifier: Apache-2.0
#include "executor/faults/injection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstring>
#include <thread>

#include "base/endings/trap.h"
#include "executor/faults/failure.h"
#include "executor/loaded_model.h"
#include "unit/graph/builder.h"

namespace belay::executor {
namespace {

using graph::Builder;
using graph::DataType;
using graph::Edge;
using graph::Shape;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

Tensor tensor(DataType type, Shape shape, void* data, backend::Layout layout = backend::Layout::Plain) {
  return {type, std::move(shape), layout, data};
}

// early = -x, late = -early, y = early + late: 0 everywhere, unless something is wrong.
graph::Model small_model(Shape shape) {
  Builder b("small");
  const Edge x = b.data("x", DataType::Float, std::move(shape), 0);
  const Edge early = b.op("Neg", "early", {x});
  const Edge late = b.op("Neg", "late", {early});
  b.node(late).attributes["_datadump_original_op_names"] = std::vector<std::string>{"before_fusion"};
  b.outputs({b.op("Add", "sum", {early, late})});
  return b.model();
}

// The same, node by node.
graph::Model eager_model() {
  Builder b("eager");
  const Edge x = b.data("x", DataType::Float, {-1}, 0);
  const Edge places = b.op("NonZero", "places", {x});  // its shape depends on the data
  const Edge early = b.op("Neg", "early", {x});
  const Edge late = b.op("Neg", "late", {early});
  b.node(late).attributes["_datadump_original_op_names"] = std::vector<std::string>{"before_fusion"};
  b.outputs({b.op("Add", "sum", {early, late}), places});
  return b.model();
}

struct Inject : testing::Test {
  ~Inject() override { set_faults({}); }

  static void use(std::string_view text) {
    auto faults = parse_faults(text);
    ASSERT_TRUE(faults.ok()) << faults.status().message;
    set_faults(std::move(faults).value());
  }

  // The first result of the model for x = 1 2 3 ... n.
  Status run(graph::Model model, size_t n = 6) {
    auto loaded = load(std::make_shared<const graph::Model>(std::move(model)), {});
    if (!loaded.ok()) return loaded.status();
    const auto ready = std::move(loaded).value();
    std::vector<float> x(n);
    for (size_t i = 0; i < n; ++i) x[i] = static_cast<float>(i + 1);
    y.assign(n, -1);
    std::vector<int64_t> places(n);
    const std::vector<Tensor> taken = {tensor(DataType::Float, {static_cast<int64_t>(n)}, x.data())};
    std::vector<Tensor> given = {tensor(DataType::Float, {static_cast<int64_t>(n)}, y.data())};
    if (ready->dynamic()) given.push_back(tensor(DataType::Int64, {1, static_cast<int64_t>(n)}, places.data()));
    return ready->run({.task_id = 0, .stream_id = 7, .device_id = 3}, taken, given);
  }
  size_t count(float (*what)(float)) const {
    size_t found = 0;
    for (const float value : y) found += what(value) != 0;
    return found;
  }

  std::vector<float> y;
};

float is_nan(float value) { return std::isnan(value); }
float is_inf(float value) { return std::isinf(value); }
float is_wrong(float value) { return value != 0; }

TEST_F(Inject, WithoutFaultsNothingIsHit) {
  ASSERT_TRUE(run(small_model({6})).ok());
  EXPECT_THAT(y, ElementsAre(0, 0, 0, 0, 0, 0));
}

TEST_F(Inject, OneElementOfTheFirstOutputBecomesNanOrInf) {
  for (const auto& made : {small_model({6}), eager_model()}) {
    use("nan@early");
    ASSERT_TRUE(run(made).ok());
    EXPECT_EQ(count(is_nan), 1u);
    use("inf@sum");
    ASSERT_TRUE(run(made).ok());
    EXPECT_EQ(count(is_inf), 1u);
    EXPECT_EQ(count(is_wrong), 1u);
    use("nan@before_fusion");
    ASSERT_TRUE(run(made).ok());
    EXPECT_EQ(count(is_nan), 1u);
  }
}

TEST_F(Inject, TheSameSeedHitsTheSameElementAndOthersOthers) {
  const auto where = [&](const std::string& text) {
    use(text);
    EXPECT_TRUE(run(small_model({6})).ok());
    return std::find_if(y.begin(), y.end(), is_nan) - y.begin();
  };
  const auto first = where("nan@late;seed=5");
  for (int i = 0; i < 20; ++i) ASSERT_EQ(where("nan@late;seed=5"), first);
  bool other = false;
  for (int seed = 0; seed < 20; ++seed) other = other || where("nan@late;seed=" + std::to_string(seed)) != first;
  EXPECT_TRUE(other);
}

TEST_F(Inject, ABitOfTheGivenByteIsFlipped) {
  for (const auto& made : {small_model({6}), eager_model()}) {
    use("bitflip@sum:13");
    ASSERT_TRUE(run(made).ok());
    uint32_t bits[6];
    std::memcpy(bits, y.data(), sizeof bits);
    EXPECT_EQ(std::popcount(bits[3]), 1);
    EXPECT_NE(bits[3] & 0xff00, 0u);
    bits[3] = 0;
    EXPECT_THAT(bits, ElementsAre(0, 0, 0, 0, 0, 0));
  }
  use("bitflip@sum:24");  // behind its end
  ASSERT_TRUE(run(small_model({6})).ok());
  EXPECT_EQ(count(is_wrong), 0u);
}

// One operator on a matrix that counts from 1; `runs` of them, with the matrix ten times as large each time.
std::vector<std::vector<float>> runs_of(graph::Model model, Shape shape, int runs = 1) {
  auto loaded = load(std::make_shared<const graph::Model>(std::move(model)), {});
  EXPECT_TRUE(loaded.ok()) << loaded.status().message;
  const auto ready = std::move(loaded).value();
  const auto count = static_cast<size_t>(graph::element_count(shape));
  std::vector<std::vector<float>> results;
  float factor = 1;
  for (int run = 0; run < runs; ++run, factor *= 10) {
    std::vector<float> x(count);
    for (size_t i = 0; i < count; ++i) x[i] = factor * static_cast<float>(i + 1);
    const std::vector<Tensor> taken = {tensor(DataType::Float, shape, x.data())};
    std::vector<Tensor> given(1);
    EXPECT_TRUE(ready->run({}, taken, given).ok());
    const auto* y = given[0].as<float>();
    results.emplace_back(y, y + given[0].count());
    std::free(given[0].data);
  }
  return results;
}

graph::Model negation(Shape shape) {
  Builder b("negation");
  b.outputs({b.op("Neg", "neg", {b.data("x", DataType::Float, std::move(shape), 0)})});
  return b.model();
}

TEST_F(Inject, ATransposeSwapsTheLastTwoAxesThatAreLongerThanOne) {
  use("transpose@neg");
  EXPECT_THAT(runs_of(negation({2, 3, 1}), {2, 3, 1})[0], ElementsAre(-1, -4, -2, -5, -3, -6));
  EXPECT_THAT(runs_of(negation({2, 2, 2}), {2, 2, 2})[0], ElementsAre(-1, -3, -2, -4, -5, -7, -6, -8));
  EXPECT_THAT(runs_of(negation({1, 3}), {1, 3})[0], ElementsAre(-1, -2, -3)) << "there is nothing to swap";
}

TEST_F(Inject, AShiftGivesEveryElementItsRightNeighbour) {
  use("shift@neg");
  EXPECT_THAT(runs_of(negation({4}), {4})[0], ElementsAre(-2, -3, -4, -4));
}

TEST_F(Inject, SaturationIsAtHalfOfTheLargestMagnitude) {
  use("saturate@neg");
  EXPECT_THAT(runs_of(negation({4}), {4})[0], ElementsAre(-1, -2, -2, -2));
}

TEST_F(Inject, AStuckBitIsSetInEveryElement) {
  use("stuck@neg:22");  // of the fraction: half of the power of two
  EXPECT_THAT(runs_of(negation({4}), {4})[0], ElementsAre(-1.5f, -3, -3, -6));
  use("stuck@neg:32");
  EXPECT_THAT(runs_of(negation({2}), {2})[0], ElementsAre(-1, -2)) << "a float has no such bit";
}

TEST_F(Inject, AStaleResultIsTheFirstRunsForEver) {
  use("stale@neg");
  const auto results = runs_of(negation({2}), {2}, 3);
  for (const auto& each : results) EXPECT_THAT(each, ElementsAre(-1, -2));
}

graph::Model product() {
  Builder b("product");
  const Edge x = b.data("x", DataType::Float, {1, 3}, 0);
  const Edge w = b.constant<float>("w", DataType::Float, {3, 1}, {4096, 0.5f, 0.5f});
  b.outputs({b.op("MatMulV2", "product", {x, w})});
  return b.model();
}

TEST_F(Inject, HalfSumsLoseWhatHalfPrecisionCannotHold) {
  EXPECT_THAT(runs_of(product(), {1, 3})[0], ElementsAre(4098.5f));  // 4096 + 1 + 1.5
  use("halfsum@product");
  EXPECT_THAT(runs_of(product(), {1, 3})[0], ElementsAre(4096)) << "beside 4096 the next half is 4100";
  use("halfsum@neg");  // no sum
  EXPECT_THAT(runs_of(negation({2}), {2})[0], ElementsAre(-1, -2));
}

TEST_F(Inject, AnOverwriteHitsFourElementsOfWhatIsStillNeeded) {
  for (const auto& made : {small_model({6}), eager_model()}) {
    use("overwrite@late->early");
    ASSERT_TRUE(run(made).ok());
    EXPECT_EQ(count(is_wrong), 4u);
  }
  for (const char* idle : {"overwrite@early->late", "overwrite@sum->early", "overwrite@sum->nobody"}) {
    use(idle);
    ASSERT_TRUE(run(small_model({6})).ok());
    EXPECT_EQ(count(is_wrong), 0u) << idle;
  }
}

TEST_F(Inject, AFailureNamesOperatorAndPlaceAndIsRemembered) {
  for (const auto& made : {small_model({6}), eager_model()}) {
    use("fail@late");
    const Status status = run(made);
    EXPECT_EQ(status.code, ACL_ERROR_RT_AICORE_EXCEPTION);
    EXPECT_THAT(status.message, StartsWith("Neg late: it fails because BELAY_FAULT says fail@late; "));
    EXPECT_THAT(status.message, HasSubstr("device 3, stream 7, task "));
    const auto failed = take_failed_operator();
    ASSERT_TRUE(failed);
    EXPECT_EQ(failed->name, "late");
    ASSERT_EQ(failed->inputs.size(), 1u);
    EXPECT_EQ(failed->inputs[0].shape, Shape{6});
    EXPECT_EQ(find_failed_operator(3, 7, failed->run.task_id), failed);
    EXPECT_FALSE(find_failed_operator(3, 8, failed->run.task_id));
    EXPECT_FALSE(take_failed_operator());
  }
}

TEST_F(Inject, ACrashIsAnErrorAndTheNextRunIsRight) {
  enable_traps();
  for (const auto& made : {small_model({6}), eager_model()}) {
    use("crash@late");
    const Status status = run(made);
    EXPECT_EQ(status.code, ACL_ERROR_RT_AICORE_EXCEPTION);
    EXPECT_THAT(status.message, StartsWith("Neg late: the kernel crashed: SIGSEGV at address 0x10; kernel "));
    use("");
    ASSERT_TRUE(run(made).ok());
    EXPECT_EQ(count(is_wrong), 0u);
  }
}

TEST_F(Inject, MemoryThatIsNotThereIsAnErrorOfTheOperatorThatWouldReadIt) {
  enable_traps();
  auto loaded = load(std::make_shared<const graph::Model>(small_model({6})), {});
  ASSERT_TRUE(loaded.ok());
  y.resize(6);
  const std::vector<Tensor> taken = {tensor(DataType::Float, {6}, reinterpret_cast<void*>(0x1000))};
  std::vector<Tensor> given = {tensor(DataType::Float, {6}, y.data())};
  const Status status = (*loaded)->run({}, taken, given);
  EXPECT_EQ(status.code, ACL_ERROR_RT_AICORE_EXCEPTION);
  EXPECT_THAT(status.message,
              StartsWith("Neg early: input 0 is not accessible: its 24 bytes at 0x1000 cannot be read; kernel Neg_"));
}

TEST_F(Inject, CrashesOnManyThreadsAtOnceAreErrorsOfTheirOwn) {
  enable_traps();
  use("crash@late");
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      auto loaded = load(std::make_shared<const graph::Model>(small_model({6})), {});
      std::vector<float> x(6), result(6);
      const std::vector<Tensor> taken = {tensor(DataType::Float, {6}, x.data())};
      for (int n = 0; n < 50; ++n) {
        std::vector<Tensor> given = {tensor(DataType::Float, {6}, result.data())};
        const Status status = (*loaded)->run({.stream_id = static_cast<uint32_t>(t)}, taken, given);
        const auto failed = take_failed_operator();
        right += status.code == ACL_ERROR_RT_AICORE_EXCEPTION && failed && failed->run.stream_id == uint32_t(t);
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(right, 400);
}

TEST_F(Inject, ADelayTakesItsTime) {
  use("delay@late:30");
  const auto before = std::chrono::steady_clock::now();
  ASSERT_TRUE(run(small_model({6})).ok());
  EXPECT_GE(std::chrono::steady_clock::now() - before, std::chrono::milliseconds(30));
  EXPECT_EQ(count(is_wrong), 0u);
}

TEST_F(Inject, ElementsAreFoundInEveryLayout) {
  // 2 x 3 x 2 x 1: flip a bit of every element once, in each layout; each must land elsewhere.
  using backend::Layout;
  for (const Layout layout : {Layout::Plain, Layout::ChannelsLast}) {
    const Shape shape{2, 3, 2, 1};
    std::vector<uint8_t> memory(12);
    for (int at = 0; at < 12; ++at) {
      use("bitflip@op:" + std::to_string(at));
      const graph::Node node{.name = "op"};
      const std::vector<Tensor> outputs = {tensor(DataType::UInt8, shape, memory.data(), layout)};
      Injection::make(node, false)->after(outputs, true);
    }
    EXPECT_EQ(std::ranges::count(memory, 0), 0);
  }
}

TEST_F(Inject, OperatorsOutsideOfModelsAreMeantByTheirType) {
  const graph::Node node{.name = "Add7", .type = "Add"};
  EXPECT_TRUE(is_meant("Add7", node, false));
  EXPECT_FALSE(is_meant("Add", node, false));
  EXPECT_TRUE(is_meant("Add", node, true));
}

}  // namespace
}  // namespace belay::executor
