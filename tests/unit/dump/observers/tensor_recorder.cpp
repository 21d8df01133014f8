// SPDX-License-Identifier: Apache-2.0
#include "dump/observers/tensor_recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <map>

#include "backend/layout.h"
#include "dump/format/record_reader.h"
#include "dump/observers/model_observer.h"
#include "support/temporary_directory.h"

namespace belay::dump {
namespace {

using backend::Layout;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

class Recording : public testing::Test {
 protected:
  // The files of the run, by the beginning of their names, in the order of time.
  std::map<std::string, std::filesystem::path> files() {
    outlet_.drain();
    std::map<std::string, std::filesystem::path> found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory_.path()))
      if (entry.is_regular_file()) found[entry.path().extension().string() + entry.path().string()] = entry.path();
    return found;
  }
  std::vector<DumpFile> dumps() {
    std::vector<DumpFile> read;
    for (const auto& [key, path] : files()) {
      auto dump = read_dump(path);
      if (dump.ok()) read.push_back(std::move(dump).value());
    }
    return read;
  }
  static std::vector<float> floats(Bytes bytes) {
    std::vector<float> values(bytes.size() / 4);
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }

  test::TemporaryDirectory directory_;
  Outlet outlet_{{.memory = 1 << 20}};
  DumpConfig config_{.list = {{}}, .mode = Mode::All};
  std::shared_ptr<Setting> setting_ = std::make_shared<Setting>(
      Setting{config_, std::make_shared<const DumpRoot>(DumpRoot{"d", directory_.path(), "20260102030405"})});
  RunInfo run_{1, 0, 0, 2, 0};
};

graph::Node add_node(const std::string& name = "add") {
  return {.name = name, .type = "Add", .inputs = {{0, 0}, {1, 0}}, .input_descs = {{}, {}}, .outputs = {{}}};
}

TEST_F(Recording, ChannelsLastTensorsAreWrittenRowMajor) {
  const graph::Shape shape{1, 3, 1, 2};
  std::vector<float> plain{1, 2, 3, 4, 5, 6};
  const Tensor source{graph::DataType::Float, shape, Layout::Plain, plain.data()};
  std::vector<float> stored{1, 3, 5, 2, 4, 6};
  const Tensor tensor{graph::DataType::Float, shape, Layout::ChannelsLast, stored.data()};
  const std::vector<Tensor> inputs{tensor, source}, outputs{tensor};
  TensorRecorder(outlet_).record(*setting_, "0", run_, choose_operator(Mode::All, add_node()), inputs, outputs);
  const auto read = dumps();
  ASSERT_THAT(read, SizeIs(1));
  EXPECT_EQ(floats(read[0].inputs[0]), plain);
  EXPECT_EQ(floats(read[0].inputs[1]), plain);
  EXPECT_EQ(floats(read[0].outputs[0]), plain);
  EXPECT_THAT(*read[0].header.outputs[0].shape, ElementsAre(1, 3, 1, 2));
}

TEST_F(Recording, AbsentAndUnplacedTensorsAreLeftOutAndEmptyOnesHaveNoBytes) {
  std::vector<float> values{1, 2};
  const Tensor full{graph::DataType::Float, {2}, Layout::Plain, values.data()};
  const Tensor absent{.present = false};
  const Tensor nowhere{graph::DataType::Float, {2}};
  const Tensor empty{graph::DataType::Float, {0, 3}};
  const Tensor scalar{graph::DataType::Float, {}, Layout::Plain, values.data()};
  graph::Node node{.name = "n", .type = "T", .inputs = std::vector<graph::Edge>(5), .input_descs = {}, .outputs = {{}}};
  const std::vector<Tensor> inputs{full, absent, nowhere, empty, scalar}, outputs{full};
  TensorRecorder recorder(outlet_);
  recorder.record(*setting_, "0", run_, choose_operator(Mode::All, node), inputs, outputs);
  recorder.record(*setting_, "0", run_, choose_operator(Mode::All, node), std::vector<Tensor>{empty}, {});  // no file
  const auto read = dumps();
  ASSERT_THAT(read, SizeIs(1));
  ASSERT_THAT(read[0].header.inputs, SizeIs(3));
  EXPECT_THAT(*read[0].header.inputs[1].shape, ElementsAre(0, 3));
  EXPECT_EQ(read[0].header.inputs[1].size, 0u);
  EXPECT_TRUE(read[0].header.inputs[2].shape->empty());
  EXPECT_EQ(floats(read[0].inputs[2]), std::vector<float>{1});
}

TEST_F(Recording, WhatDoesNotFitTheMemoryIsWrittenFromWhereItIs) {
  std::vector<float> values(1 << 20, 3);  // 4 MiB in a memory of 1 MiB
  const Tensor tensor{graph::DataType::Float, {1 << 20}, Layout::Plain, values.data()};
  const std::vector<Tensor> inputs{tensor, tensor}, outputs{tensor};
  TensorRecorder(outlet_).record(*setting_, "0", run_, choose_operator(Mode::All, add_node()), inputs, outputs);
  const auto read = dumps();
  ASSERT_THAT(read, SizeIs(1));
  EXPECT_EQ(floats(read[0].outputs[0]), values);
  EXPECT_EQ(read[0].header.data_bytes(), 12u << 20);
}

// Runs a node that adds 1 to its first input, in place, under an observer.
void run_assign(executor::Observer& observer, const RunInfo& run, const graph::Node& node, std::vector<float>& value) {
  const std::vector<Tensor> tensors{{graph::DataType::Float, {1}, Layout::Plain, value.data()}};
  observer.starts(run, node, tensors);
  value[0] += 1;
  observer.ran(run, node, tensors, tensors);
}

TEST_F(Recording, AnOperatorThatChangesItsInputHasTwoFilesInTheOrderOfTime) {
  const graph::Node node{.name = "a", .type = "HcomAllReduce", .inputs = {{}}, .input_descs = {{}}, .outputs = {{}}};
  EXPECT_TRUE(changes_inputs(node));
  EXPECT_TRUE(changes_inputs({.type = "Assign"}));
  EXPECT_FALSE(changes_inputs(add_node()));
  ModelPlan plan{setting_};
  plan.selection.nodes.emplace(&node, choose_operator(Mode::All, node));
  plan.selection.changing.insert(&node);
  ModelObserver observer(outlet_, "m", std::make_shared<const ModelPlan>(plan));
  std::vector<float> value{5};
  run_assign(observer, run_, node, value);
  const auto read = dumps();
  ASSERT_THAT(read, SizeIs(2));
  EXPECT_EQ(floats(read[0].inputs.at(0)), std::vector<float>{5});
  EXPECT_TRUE(read[0].outputs.empty());
  EXPECT_EQ(floats(read[1].outputs.at(0)), std::vector<float>{6});
  EXPECT_TRUE(read[1].inputs.empty());
  EXPECT_LT(read[0].header.dump_time, read[1].header.dump_time);
}

TEST_F(Recording, AnOperatorOutsideOfAModelGoesIntoTheDevicesDirectory) {
  const auto node = add_node("Add1");
  std::vector<float> values{1, 2};
  const Tensor tensor{graph::DataType::Float, {2}, Layout::Plain, values.data()};
  const std::vector<Tensor> inputs{tensor, tensor}, outputs{tensor};
  OperatorObserver whole(outlet_, setting_, OperatorLevel::Operator), apart(outlet_, setting_, OperatorLevel::Kernel);
  whole.starts(run_, node, inputs);
  whole.ran(run_, node, inputs, outputs);
  EXPECT_THAT(files(), SizeIs(1));
  EXPECT_EQ(files().begin()->second.parent_path(), directory_.path("20260102030405/0"));
  apart.starts(run_, node, inputs);
  apart.ran(run_, node, inputs, outputs);
  const auto read = dumps();
  ASSERT_THAT(read, SizeIs(3));
  EXPECT_EQ(read[0].inputs.size() + read[0].outputs.size(), 3u);
  EXPECT_EQ(read[1].inputs.size() + 10 * read[1].outputs.size(), 2u);
  EXPECT_EQ(read[2].inputs.size() + 10 * read[2].outputs.size(), 10u);
}

}  // namespace
}  // namespace belay::dump
