// SPDX-License-Identifier: Apache-2.0
#include "dump/observers/output_watcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

#include "dump/format/record_reader.h"
#include "dump/observers/model_observer.h"
#include "support/temporary_directory.h"

namespace belay::dump {
namespace {

using backend::Layout;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

// Four tasks: 0 first, 1 watched, 2 reader (the last that reads it), 3 later. The memory of the watched output is the
// test's; its upper half is planned for task 3.
class Watch : public testing::Test, public executor::MemoryPlan {
 protected:
  void SetUp() override {
    const DumpConfig config{.list = {{.watcher_nodes = {"watched"}}}, .steps = {{0, 2}}, .scene = Scene::Watcher};
    setting_ = std::make_shared<Setting>(
        Setting{config, std::make_shared<const DumpRoot>(DumpRoot{"d", directory_.path(), "20260102030405"})});
    ModelPlan plan{setting_};
    plan.selection.nodes.emplace(&nodes_[1], choose_outputs(nodes_[1]));
    plan.selection.writers = {&nodes_[0], &nodes_[2], &nodes_[3]};
    observer_ = std::make_unique<ModelObserver>(outlet_, "m", std::make_shared<const ModelPlan>(plan));
  }

  std::vector<executor::PlannedOutput> outputs_of(const graph::Node& node) const override {
    if (&node != &nodes_[1]) return {};
    const Tensor tensor{graph::DataType::Float, shape_, layout_, const_cast<float*>(memory_.data())};
    return {{1, tensor, callers_, last_reader_, {{3, 8, 16}}}};
  }
  std::pair<uint32_t, uint32_t> tasks() const override { return {0, 4}; }

  void begin() { observer_->begins({7, step_, 0, 2, 0}, *this); }
  void run(uint32_t task) { observer_->ran({7, step_, task, 2, 0}, nodes_[task], {}, {}); }
  // Tasks from `first` to `last`.
  void run(uint32_t first, uint32_t last) {
    for (uint32_t task = first; task <= last; ++task) run(task);
  }
  std::vector<std::string> lines() {
    outlet_.drain();
    std::ifstream file(directory_.path("20260102030405/0/m/7/watch_summary.csv"));
    std::vector<std::string> found;
    for (std::string line; std::getline(file, line);) found.push_back(line);
    if (found.empty()) return {"no file"};
    EXPECT_EQ(found[0], "Step,Writer,Watched,Output,First Offset,Changed Bytes,State");
    found.erase(found.begin());
    return found;
  }
  std::vector<std::filesystem::path> files() {
    outlet_.drain();
    std::map<std::string, std::filesystem::path> found;  // by time
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory_.path()))
      if (entry.is_regular_file() && entry.path().extension() != ".csv") found[entry.path().extension()] = entry.path();
    std::vector<std::filesystem::path> paths;
    for (const auto& [time, path] : found) paths.push_back(path);
    return paths;
  }

  static graph::Node node(const char* name) { return {.name = name, .type = "Relu", .outputs = {{}}}; }

  test::TemporaryDirectory directory_;
  Outlet outlet_{{.memory = 1 << 20}};
  std::shared_ptr<Setting> setting_;
  const graph::Node nodes_[4] = {node("net/first"), node("watched"), node("reader"), node("later")};
  std::vector<float> memory_{1, 2, 3, 4};
  graph::Shape shape_{4};
  Layout layout_ = Layout::Plain;
  bool callers_ = false;
  uint32_t last_reader_ = 2;
  uint64_t step_ = 0;
  std::unique_ptr<ModelObserver> observer_;
};

TEST_F(Watch, FilesAreMadeAfterTheOthersAndAfterItself) {
  begin();
  run(0);
  memory_ = {5, 6, 7, 8};
  run(1, 3);
  const auto paths = files();
  ASSERT_THAT(paths, SizeIs(4));
  EXPECT_EQ(paths[0].stem(), "Relu.net_first_To_watched.0.2");
  EXPECT_EQ(paths[1].stem(), "Relu.watched.1.2");
  EXPECT_EQ(paths[2].stem(), "Relu.reader_To_watched.2.2");
  EXPECT_EQ(paths[3].stem(), "Relu.later_To_watched.3.2");
  const DumpFile before = read_dump(paths[0]).value(), own = read_dump(paths[1]).value();
  EXPECT_EQ(before.header.op_name, "net/first_To_watched");
  EXPECT_EQ(own.header.op_name, "watched");
  EXPECT_THAT(own.inputs, IsEmpty());
  EXPECT_EQ(own.header.outputs.at(0).address, reinterpret_cast<uint64_t>(memory_.data()));
  float first = 0;
  std::memcpy(&first, before.outputs.at(0).data(), sizeof first);
  EXPECT_EQ(first, 1);  // what was there before it ran
  std::memcpy(&first, own.outputs.at(0).data(), sizeof first);
  EXPECT_EQ(first, 5);
  EXPECT_THAT(lines(), IsEmpty());
}

TEST_F(Watch, AChangeBeforeTheLastReaderIsLiveAndNamesItsWriter) {
  last_reader_ = 3;
  begin();
  run(0, 1);
  memory_[1] = 9;
  run(2);
  EXPECT_THAT(lines(), ElementsAre("0,reader,watched,0,6,2,live"));  // 2.0f and 9.0f differ in their two upper bytes
}

TEST_F(Watch, AChangeByThePlanIsToldFromOneThatIsNot) {
  begin();
  run(0, 2);
  memory_[2] = 30, memory_[3] = 40;  // the half that task 3 was given
  run(3);
  EXPECT_THAT(lines(), ElementsAre(testing::EndsWith(",reused")));
  step_ = 1;
  begin();
  memory_ = {1, 2, 3, 4};
  run(0, 2);
  memory_[0] = 30, memory_[3] = 50;  // both halves
  run(3);
  const auto found = lines();
  ASSERT_THAT(found, SizeIs(3));
  EXPECT_THAT(found[1], testing::EndsWith(",reused"));  // net/first, in the next execution, before the operator itself
  EXPECT_THAT(found[2], testing::AllOf(testing::StartsWith("1,later,watched,0,"), testing::EndsWith(",free")));
}

TEST_F(Watch, AChangeIsReportedOnceAndCountedFromWhatWasSeenLast) {
  begin();
  run(0, 1);
  memory_[0] = 9;
  run(2);
  run(3);
  memory_[0] = 10;
  run(3);
  EXPECT_THAT(lines(), SizeIs(2));
}

TEST_F(Watch, AChangeBetweenExecutionsHasNoWriter) {
  begin();
  run(0, 3);
  memory_[0] = 9;
  step_ = 1;
  begin();
  run(0, 3);
  EXPECT_THAT(lines(), ElementsAre("1,,watched,0,2,2,free"));  // 1.0f and 9.0f
}

TEST_F(Watch, MemoryOfTheProgramMayChangeBetweenExecutions) {
  callers_ = true;
  begin();
  run(0, 3);
  memory_[0] = 9;
  step_ = 1;
  begin();
  run(0, 3);
  EXPECT_THAT(lines(), IsEmpty());
}

TEST_F(Watch, OffsetsAreThoseOfTheFileWhateverTheLayout) {
  shape_ = {1, 2, 1, 2};
  layout_ = Layout::ChannelsLast;
  begin();
  run(0, 1);
  memory_[1] = -2;  // second in memory; the file has channel 1 behind both columns of channel 0
  run(2);
  EXPECT_THAT(lines(), ElementsAre("0,reader,watched,0,11,1,free"));  // the sign
}

TEST_F(Watch, StepsThatAreNotWantedLeaveNothing) {
  step_ = 3;
  begin();
  run(0, 1);
  memory_[0] = 9;
  run(2, 3);
  EXPECT_THAT(lines(), ElementsAre("no file"));
  EXPECT_THAT(files(), IsEmpty());
}

TEST_F(Watch, StatisticsTakeThePlaceOfTensors) {
  setting_->config.stats = true;
  begin();
  run(0, 3);
  EXPECT_THAT(files(), IsEmpty());
  EXPECT_THAT(lines(), IsEmpty());
}

}  // namespace
}  // namespace belay::dump
