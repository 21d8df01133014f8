// SPDX-License-Identifier: Apache-2.0
#include "exact/evaluate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "graph/infer/infer.h"
#include "unit/graph/builder.h"

namespace belay::exact {
namespace {

using graph::Builder;
using graph::DataType;
using graph::Edge;
using testing::HasSubstr;

Value numbers(graph::Shape shape, std::vector<double> elements) { return make_value(std::move(shape), elements); }

// One operator with inputs of this type.
graph::Model one(const std::string& op, DataType type, const std::vector<graph::Shape>& shapes,
                 graph::Attributes attributes = {}) {
  Builder b("one");
  std::vector<Edge> inputs;
  for (size_t i = 0; i < shapes.size(); ++i)
    inputs.push_back(b.data("x" + std::to_string(i), type, shapes[i], static_cast<int64_t>(i)));
  b.outputs({b.op(op, "it", inputs, std::move(attributes))});
  graph::Model model = b.model();
  EXPECT_TRUE(graph::infer_shapes(model).ok());
  return model;
}

const graph::Node& node_of(const graph::Model& model) {
  return model.main().nodes[static_cast<size_t>(model.main().find("it"))];
}

TEST(Evaluate, ASumMayBeOffByHalfAUnitInTheLastPlace) {
  const auto model = one("Add", DataType::Float, {{2}, {2}});
  const std::vector<Value> inputs = {numbers({2}, {1, 0x1p100}), numbers({2}, {0x1p-30, 1})};
  const auto outputs = evaluate(model, node_of(model), inputs);
  ASSERT_TRUE(outputs.ok()) << outputs.status().message;
  EXPECT_EQ((*outputs)[0].value.doubles()[0], 1 + 0x1p-30);  // which no float holds
  EXPECT_NEAR((*outputs)[0].allowed[0], 0x1p-24, 0x1p-50);
  EXPECT_NEAR((*outputs)[0].allowed[1], 0x1p76, 0x1p50);
}

TEST(Evaluate, TheTypeOfTheDescriptionDecides) {
  const auto model = one("Mul", DataType::Float16, {{1}, {1}});
  const std::vector<Value> inputs = {numbers({1}, {3}), numbers({1}, {0.5})};
  const auto outputs = evaluate(model, node_of(model), inputs);
  ASSERT_TRUE(outputs.ok()) << outputs.status().message;
  EXPECT_EQ((*outputs)[0].allowed[0], 1.5 * 0x1p-11);
}

TEST(Evaluate, ASumIsNormedAsTheModelStoresIt) {
  const auto model = one("AddRmsNorm", DataType::Float16, {{1, 2}, {1, 2}, {2}});
  const std::vector<Value> inputs = {numbers({1, 2}, {1, 4}), numbers({1, 2}, {0x1p-12, 0}), numbers({2}, {1, 1})};
  const auto outputs = evaluate(model, node_of(model), inputs);
  ASSERT_TRUE(outputs.ok()) << outputs.status().message;
  const double root = std::sqrt(8.5 + static_cast<double>(1e-6f));
  EXPECT_NEAR((*outputs)[0].value.doubles()[0], 1 / root, 1e-15);  // no half is 1 + 2^-12
  EXPECT_NEAR((*outputs)[1].value.doubles()[0], 1 / root, 1e-15);
  EXPECT_EQ((*outputs)[2].value.doubles()[0], 1 + 0x1p-12);
  // A device that keeps the sum as it was stays within.
  EXPECT_GE((*outputs)[0].allowed[0], 0x1p-12 / root);
}

TEST(Evaluate, WhatIsOnlyMovedMayNotBeOffAtAll) {
  const auto model = one("Relu", DataType::Float16, {{3}});
  const std::vector<Value> inputs = {numbers({3}, {-1, 0.25, 3})};
  const auto outputs = evaluate(model, node_of(model), inputs);
  ASSERT_TRUE(outputs.ok()) << outputs.status().message;
  EXPECT_EQ((*outputs)[0].allowed, std::vector<double>(3, 0.0));
}

TEST(Evaluate, AProductOfMatricesIsComputedInDouble) {
  const auto model = one("MatMulV2", DataType::Float, {{1, 2}, {2, 1}});
  const std::vector<Value> inputs = {numbers({1, 2}, {1 + 0x1p-23, -1}), numbers({2, 1}, {1 + 0x1p-23, 1})};
  const auto outputs = evaluate(model, node_of(model), inputs);
  ASSERT_TRUE(outputs.ok()) << outputs.status().message;
  EXPECT_EQ((*outputs)[0].value.doubles()[0], 0x1p-22 + 0x1p-46);
  EXPECT_GE((*outputs)[0].allowed[0], 0x1p-24);  // a product that was rounded before it was added
  EXPECT_LE((*outputs)[0].allowed[0], 0x1p-18);
}

TEST(Evaluate, WhatHasNoErrorModelIsRefusedByName) {
  const auto model = one("RandomStandardNormal", DataType::Int64, {{1}});
  const std::vector<Value> inputs = {{DataType::Int64, {1}, std::make_shared<const std::vector<std::byte>>(8)}};
  const auto outputs = evaluate(model, node_of(model), inputs);
  ASSERT_FALSE(outputs.ok());
  EXPECT_THAT(outputs.status().message, HasSubstr("RandomStandardNormal it is not checkable: its results are random"));
}

TEST(Values, NarrowingRoundsOnce) {
  // Between two halves, above the middle by less than a float can say.
  const Value value = numbers({1}, {1 + 0x1p-11 + 0x1p-40});
  const auto bytes = narrowed(value, DataType::Float16);
  ASSERT_TRUE(bytes.ok());
  const auto back = widened(DataType::Float16, {1}, *bytes);
  ASSERT_TRUE(back.ok());
  EXPECT_EQ((*back).doubles()[0], 1 + 0x1p-10);
}

TEST(Values, WhatHasNoDoubleIsRefused) {
  const auto made = widened(DataType::Complex64, {1}, {});
  ASSERT_FALSE(made.ok());
  EXPECT_THAT(made.status().message, HasSubstr("DT_COMPLEX64"));
}

}  // namespace
}  // namespace belay::exact
