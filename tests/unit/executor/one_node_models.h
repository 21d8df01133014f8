// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "executor/loaded_model.h"
#include "graph/infer/infer.h"
#include "unit/graph/builder.h"

// Models of one node, run with the kernels of one row.
namespace belay::executor {

using graph::Attributes;
using graph::Builder;
using graph::DataType;
using graph::Edge;
using graph::Shape;
using Ints = std::vector<int64_t>;

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

inline std::vector<float> random_floats(const Shape& shape, uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> between(-1, 1);
  std::vector<float> values(static_cast<size_t>(graph::element_count(shape)));
  for (float& value : values) value = between(random);
  return values;
}

// A model and the values of its inputs.
struct Case {
  graph::Model model;
  std::vector<std::pair<Shape, std::vector<float>>> inputs;
};

inline std::vector<float> run(const Case& c, const std::string& kernels, int threads = 1) {
  LoadOptions options;
  options.threads = threads;
  options.only_kernels = kernels;
  auto loaded = load(std::make_shared<const graph::Model>(c.model), options);
  if (!loaded.ok()) {
    ADD_FAILURE() << kernels << ": " << loaded.status().message;
    return {};
  }
  std::vector<Tensor> taken;
  for (const auto& [shape, values] : c.inputs)
    taken.push_back({DataType::Float, shape, backend::Layout::Plain, const_cast<float*>(values.data())});
  std::vector<Tensor> given(1);
  const Status status = (*loaded)->run({}, taken, given);
  EXPECT_TRUE(status.ok()) << status.message;
  if (!status.ok()) return {};
  std::vector<float> result(given[0].as<float>(), given[0].as<float>() + given[0].count());
  std::free(given[0].data);
  return result;
}

// Sums of `length` products of numbers below 1: each rounding is at most 2^-24 of a partial sum.
inline void expect_close(const std::vector<float>& fast, const std::vector<float>& reference, int64_t length) {
  const double bound = std::ldexp(static_cast<double>(length + 8), -23);
  ASSERT_EQ(fast.size(), reference.size());
  for (size_t i = 0; i < fast.size(); ++i) {
    if (std::isnan(reference[i]))
      ASSERT_TRUE(std::isnan(fast[i])) << "element " << i << " is " << fast[i];
    else
      ASSERT_NEAR(fast[i], reference[i], bound * std::max(1.0f, std::fabs(reference[i]))) << "element " << i;
  }
}

struct ConvCase {
  Shape x, filter;  // N C H W; output, input of a group, H, W
  Ints stride = {1, 1}, pads = {0, 0, 0, 0}, dilation = {1, 1};
  int64_t groups = 1;
  bool bias = false;
};

inline Attributes attributes_of(const ConvCase& c) {
  return {{"strides", Ints{1, 1, c.stride[0], c.stride[1]}},
          {"pads", c.pads},
          {"dilations", Ints{1, 1, c.dilation[0], c.dilation[1]}},
          {"groups", c.groups},
          {"data_format", std::string("NCHW")}};
}

inline Case conv_model(const ConvCase& c) {
  Builder b("conv");
  std::vector<Edge> inputs = {b.data("x", DataType::Float, c.x, 0),
                              b.constant("w", DataType::Float, c.filter, random_floats(c.filter, 2))};
  if (c.bias) inputs.push_back(b.constant("b", DataType::Float, {c.filter[0]}, random_floats({c.filter[0]}, 3)));
  b.outputs({b.op("Conv2D", "conv", inputs, attributes_of(c))});
  return {b.model(), {{c.x, random_floats(c.x, 1)}}};
}

inline int64_t length_of(const ConvCase& c) { return c.filter[1] * c.filter[2] * c.filter[3]; }

// What can follow a convolution in a chain.
inline const std::pair<std::string, Attributes> activations[] = {
    {"", {}},
    {"Relu", {}},
    {"Relu6", {}},
    {"LeakyRelu", {{"negative_slope", 0.1f}}},
    {"Sigmoid", {}},
    {"Tanh", {}},
    {"Elu", {{"alpha", 0.7f}}},
    {"Swish", {{"scale", 1.5f}}},
    {"HardSwish", {}},
    {"Mish", {}},
    {"GeluV2", {{"approximate", std::string("none")}}},
    {"GeluV2", {{"approximate", std::string("tanh")}}},
    {"HardSigmoid", {{"alpha", 0.2f}, {"beta", 0.4f}}},
};

// A fused node: its inputs are the head's, then the tensor that is added.
inline Case fused_model(const ConvCase& c, bool sum, const std::string& activation, const Attributes& attributes,
                        std::vector<float> x, bool made_here = false) {
  Builder inner("members");
  const Shape y = {c.x[0], c.filter[0], c.x[2], c.x[3]};  // the cases of this function keep the size
  const Edge in = inner.data("__input0", DataType::Float, c.x, 0),
             w = inner.data("__input1", DataType::Float, c.filter, 1);
  Edge last, addend;
  if (sum) addend = inner.data("__input2", DataType::Float, y, 2);
  last = inner.op("Conv2D", "head", {in, w}, attributes_of(c));
  if (sum) last = inner.op("Add", "sum", {last, addend});
  if (!activation.empty()) last = inner.op(activation, "act", {last}, attributes);
  inner.outputs({last});

  Builder b("fused");
  std::vector<Edge> inputs = {b.data("x", DataType::Float, c.x, 0),
                              b.constant("w", DataType::Float, c.filter, random_floats(c.filter, 2))};
  Case made;
  made.inputs = {{c.x, std::move(x)}};
  if (sum) {
    const Edge other = b.data("other", DataType::Float, y, 1);
    inputs.push_back(made_here ? b.op("Neg", "made", {other}) : other);
    made.inputs.push_back({y, random_floats(y, 5)});
  }
  const Edge fused = b.op("Conv2D", "head_sum_act", inputs,
                          {{std::string(graph::kMembers), std::make_shared<graph::Graph>(inner.take())}});
  b.outputs({made_here ? b.op("Neg", "after", {fused}) : fused});  // what is an output never shares memory
  made.model = b.model();
  return made;
}

}  // namespace belay::executor
