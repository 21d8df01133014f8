// SPDX-License-Identifier: Apache-2.0
#include "dump/observers/overflow.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <limits>
#include <map>

#include "backend/layout.h"
#include "dump/format/opdebug.h"
#include "dump/format/record_reader.h"
#include "dump/observers/model_observer.h"
#include "support/temporary_directory.h"

namespace belay::dump {
namespace {

using backend::Layout;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr float inf = std::numeric_limits<float>::infinity();

Tensor tensor_of(std::vector<float>& values) {
  return {graph::DataType::Float, {static_cast<int64_t>(values.size())}, Layout::Plain, values.data()};
}

std::vector<float> floats(Bytes bytes) {
  std::vector<float> values(bytes.size() / 4);
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

// A model of one node, watched for overflow.
class Overflow : public testing::Test {
 protected:
  void SetUp() override {
    DumpConfig config{.mode = Mode::All, .overflow = true};
    config.steps = {{0, 3}};
    setting_ = std::make_shared<Setting>(
        Setting{config, std::make_shared<const DumpRoot>(DumpRoot{"d", directory_.path(), "20260102030405"})});
  }
  std::shared_ptr<ModelObserver> observer_of(const graph::Node& node) {
    ModelPlan plan{setting_};
    plan.selection.nodes.emplace(&node, choose_operator(Mode::All, node));
    if (changes_inputs(node)) plan.selection.changing.insert(&node);
    return std::make_shared<ModelObserver>(outlet_, "m", std::make_shared<const ModelPlan>(plan));
  }
  // File names below the step's directory by time.
  std::vector<std::filesystem::path> files() {
    outlet_.drain();
    std::map<std::string, std::filesystem::path> found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory_.path()))
      if (entry.is_regular_file()) found[entry.path().extension()] = entry.path();
    std::vector<std::filesystem::path> paths;
    for (const auto& [time, path] : found) paths.push_back(path);
    return paths;
  }

  test::TemporaryDirectory directory_;
  Outlet outlet_{{.memory = 1 << 20}};
  std::shared_ptr<Setting> setting_;
  RunInfo run_{7, 0, 3, 2, 0};
  const graph::Node add_{
      .name = "add", .type = "Add", .inputs = {{0, 0}, {1, 0}}, .input_descs = {{}, {}}, .outputs = {{}}};
};

TEST_F(Overflow, TheCulpritHasAnOpdebugFileAndThenItsOwn) {
  std::vector<float> a{1, 3e38f}, b{2, 3e38f}, sum{3, inf};
  const std::vector<Tensor> inputs{tensor_of(a), tensor_of(b)}, outputs{tensor_of(sum)};
  observer_of(add_)->ran(run_, add_, inputs, outputs);
  const auto paths = files();
  ASSERT_THAT(paths, SizeIs(2));
  EXPECT_EQ(paths[0].stem(), "Opdebug.Node_OpDebug.3.2");
  EXPECT_EQ(paths[1].stem(), "Add.add.3.2");
  EXPECT_EQ(paths[0].parent_path(), directory_.path("20260102030405/0/m/7/0"));
  const DumpFile dump = read_dump(paths[1]).value();
  EXPECT_EQ(floats(dump.inputs.at(0)), a);
  EXPECT_EQ(floats(dump.inputs.at(1)), b);
  EXPECT_EQ(floats(dump.outputs.at(0)), sum);
}

TEST_F(Overflow, WhatIsFiniteOrInheritedIsNotReported) {
  std::vector<float> fine{1, 2}, bad{1, -inf};
  const auto observer = observer_of(add_);
  observer->ran(run_, add_, std::vector<Tensor>{tensor_of(fine), tensor_of(fine)},
                std::vector<Tensor>{tensor_of(fine)});
  observer->ran(run_, add_, std::vector<Tensor>{tensor_of(fine), tensor_of(bad)}, std::vector<Tensor>{tensor_of(bad)});
  observer->ran(run_, add_, std::vector<Tensor>{tensor_of(bad), tensor_of(fine)}, std::vector<Tensor>{tensor_of(bad)});
  EXPECT_THAT(files(), IsEmpty());
}

TEST_F(Overflow, StepsThatAreNotWantedAreNotJudged) {
  std::vector<float> fine{1}, bad{inf};
  const auto observer = observer_of(add_);
  for (uint64_t step = 0; step < 8; ++step) {
    run_.data_index = step;
    observer->ran(run_, add_, std::vector<Tensor>{tensor_of(fine), tensor_of(fine)},
                  std::vector<Tensor>{tensor_of(bad)});
  }
  EXPECT_THAT(files(), SizeIs(2 * 4));
}

TEST_F(Overflow, AnOperatorThatChangesItsInputIsJudgedByWhatItWas) {
  const graph::Node node{.name = "a", .type = "HcomAllReduce", .inputs = {{}}, .input_descs = {{}}, .outputs = {{}}};
  const auto observer = observer_of(node);
  std::vector<float> value{3e38f, 1};
  const std::vector<Tensor> tensors{tensor_of(value)};
  for (int round = 0; round < 3; ++round) {  // finite, then inf from finite, then inf from inf
    if (round == 0) value[0] = 1;
    if (round == 1) value[0] = 3e38f;
    observer->starts(run_, node, tensors);
    value[0] *= 2;
    observer->ran(run_, node, tensors, tensors);
  }
  const auto paths = files();
  ASSERT_THAT(paths, SizeIs(2));
  const DumpFile dump = read_dump(paths[1]).value();
  EXPECT_THAT(floats(dump.inputs.at(0)), ElementsAre(3e38f, 1));
  EXPECT_THAT(floats(dump.outputs.at(0)), ElementsAre(inf, 1));
}

// The table of the documentation, model 1, stream 2, task 0.
TEST(Opdebug, TheBlockHasItsFieldsAtTheDocumentedOffsets) {
  const std::string block = opdebug_block(1, 2, 0);
  ASSERT_EQ(block.size(), 2048u);
  std::string want(2048, '\0');
  for (const int at : {0, 1, 2, 3}) want[at] = 0x5a;
  for (const auto& [at, value] : std::map<int, int>{{8, 1}, {20, 88}, {24, 1}, {32, 2}, {104, 0x20}}) want[at] = value;
  for (const int at : {56, 57, 64, 65}) want[at] = '\xff';
  EXPECT_EQ(block, want);
}

// The file of the documented example: time 1767323046000100, an address of three wire bytes, H = 69.
TEST(Opdebug, TheHeaderHasTheDocumentedLength) {
  const Header header = opdebug_header(1767323046000100, reinterpret_cast<const void*>(0x10000));
  EXPECT_EQ(encode_message(header).size(), 69u);
}

}  // namespace
}  // namespace belay::dump
