// SPDX-License-Identifier: Apache-2.0
#include "dump/choice/step_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace belay::dump {
namespace {

using backend::Layout;
using backend::Tensor;
using executor::NodeStep;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

graph::TensorDesc described(graph::Format format) {
  graph::TensorDesc desc;
  desc.format = desc.origin_format = format;
  return desc;
}

const graph::Node conv{.name = "net/conv",
                       .type = "Conv2D",
                       .inputs = {{0, 0}, {1, 0}},
                       .input_descs = {described(graph::Format::NCHW), described(graph::Format::ND)},
                       .outputs = {described(graph::Format::NCHW)}};
const ChosenNode whole = choose_operator(Mode::All, conv);
float memory[1024];

Tensor tensor(graph::Shape shape, Layout layout) { return {graph::DataType::Float, std::move(shape), layout, memory}; }

struct Case {
  graph::Shape shape;
  Layout layout;
  int32_t format;
  graph::Shape stored;
};

TEST(ChosenStep, TensorsAreSaidAsTheyLieInMemory) {
  const Case cases[] = {
      {{2, 3, 4, 5}, Layout::Plain, 0, {2, 3, 4, 5}},                // NCHW
      {{2, 3, 4, 5}, Layout::ChannelsLast, 1, {2, 4, 5, 3}},         // NHWC
      {{1, 3, 2, 4, 5}, Layout::ChannelsLast, 27, {1, 2, 4, 5, 3}},  // NDHWC
  };
  for (const Case& each : cases) {
    const std::vector<Tensor> outputs{tensor(each.shape, each.layout)};
    const ChosenStep chosen = choose_step(Mode::Output, {&conv, &conv}, whole, {}, outputs);
    ASSERT_THAT(chosen.outputs, SizeIs(1));
    EXPECT_EQ(chosen.outputs[0].shape, each.stored);
    EXPECT_EQ(chosen.outputs[0].layout, Layout::Plain);
    EXPECT_EQ(chosen.outputs[0].data, memory);
    EXPECT_EQ(chosen.node.outputs[0].format, each.format);
    const graph::Shape& original = chosen.node.outputs[0].original_shape;
    EXPECT_EQ(original, each.layout == Layout::Plain ? graph::Shape{} : each.shape);
  }
}

TEST(ChosenStep, NamesAreTheOperatorsAndTheSteps) {
  const graph::Node relu{.name = "relu", .type = "Relu", .inputs = {{0, 0}}, .input_descs = {{}}, .outputs = {{}}};
  const std::pair<NodeStep, const char*> steps[] = {
      {{&conv, &conv}, "Conv2D.net_conv_kernel"},
      {{&conv, &conv, NodeStep::Kind::ChangesInput, 1}, "TransData.net_conv_TransData_input1"},
      {{&conv, &conv, NodeStep::Kind::ChangesOutput, 0}, "TransData.net_conv_TransData_output0"},
      {{&conv, &relu}, "Relu.net_conv_relu"},
      {{&conv, &relu, NodeStep::Kind::ChangesInput, 0}, "TransData.net_conv_relu_TransData_input0"},
  };
  for (const auto& [step, stem] : steps) {
    const ChosenStep chosen = choose_step(Mode::All, step, whole, {}, {});
    EXPECT_EQ(chosen.node.stem, stem);
    EXPECT_EQ(chosen.node.name, "net/conv_" + step.name());
  }
}

TEST(ChosenStep, AConstantThatWasPutInAnotherOrderIsNoLongerTheModels) {
  const graph::Constant constant;
  ChosenNode known = whole;
  known.inputs[1].constant = &constant;
  known.inputs[1].measured = std::make_shared<const Statistics>();
  for (const Layout layout : {Layout::Plain, Layout::ChannelsLast}) {
    const std::vector<Tensor> inputs{tensor({1, 3, 2, 2}, Layout::Plain), tensor({4, 3, 2, 2}, layout)};
    const ChosenStep chosen = choose_step(Mode::Input, {&conv, &conv}, known, inputs, {});
    EXPECT_EQ(chosen.node.inputs[1].constant, layout == Layout::Plain ? &constant : nullptr);
    EXPECT_EQ(chosen.node.inputs[1].measured != nullptr, layout == Layout::Plain);
  }
}

TEST(ChosenStep, TheModeLeavesOutSidesAndAChangeHasTheFormatOfItsTensor) {
  const NodeStep step{&conv, &conv, NodeStep::Kind::ChangesInput, 0};
  const std::vector<Tensor> from{tensor({1, 3, 2, 2}, Layout::ChannelsLast)}, to{tensor({1, 3, 2, 2}, Layout::Plain)};
  const ChosenStep all = choose_step(Mode::All, step, whole, from, to);
  EXPECT_EQ(all.node.inputs[0].format, 1);
  EXPECT_EQ(all.node.outputs[0].format, 0);
  EXPECT_THAT(choose_step(Mode::Input, step, whole, from, to).outputs, IsEmpty());
  EXPECT_THAT(choose_step(Mode::Output, step, whole, from, to).inputs, IsEmpty());
}

}  // namespace
}  // namespace belay::dump
