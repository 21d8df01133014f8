// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "executor/loaded_model.h"

namespace belay::executor {
namespace {

using graph::DataType;
using graph::Node;

// x -> relu0 -> relu1 ... : each needs the one before it only, so that two blocks serve them all.
std::shared_ptr<const graph::Model> chain(int length) {
  auto model = std::make_shared<graph::Model>();
  model->graphs.resize(1);
  const graph::TensorDesc desc{.type = DataType::Float, .shape = {4, 256}};
  auto& nodes = model->graphs[0].nodes;
  nodes.push_back({.name = "x", .type = "Data", .outputs = {desc}});
  for (int i = 0; i < length; ++i)
    nodes.push_back({.name = "softmax" + std::to_string(i),
                     .type = "SoftmaxV2",
                     .inputs = {{i, 0}},
                     .input_descs = {desc},
                     .outputs = {desc}});
  nodes.push_back({.name = "out", .type = "NetOutput", .inputs = {{length, 0}}, .input_descs = {desc}});
  return model;
}

// Sees where everything is, and compares with what it was told when the run began.
class Checker : public Observer {
 public:
  bool wants(const Node& node) const override { return node.type == "SoftmaxV2"; }
  void begins(const RunInfo&, const MemoryPlan& plan) override {
    ++begun;
    for (const Node* node : nodes) planned[node->name] = plan.outputs_of(*node).at(0);
    tasks = plan.tasks();
  }
  void ran(const RunInfo& run, const Node& node, std::span<const Tensor>, std::span<const Tensor> outputs) override {
    places[node.name] = outputs[0].data;
    task_of[node.name] = run.task_id;
    for (auto& [name, bytes] : kept)  // nobody may touch what is still needed
      if (run.task_id < planned[name].last_reader) {
        EXPECT_EQ(std::memcmp(bytes.data(), places[name], bytes.size()), 0) << name << " after " << node.name;
      }
    const auto* memory = outputs[0].as<const std::byte>();
    kept[node.name].assign(memory, memory + 4 * 256 * sizeof(float));
  }

  std::vector<const Node*> nodes;
  int begun = 0;
  std::map<std::string, PlannedOutput> planned;
  std::map<std::string, void*> places;
  std::map<std::string, uint32_t> task_of;
  std::map<std::string, std::vector<std::byte>> kept;
  std::pair<uint32_t, uint32_t> tasks;
};

TEST(MemoryPlan, SaysBeforehandWhereOutputsAreWhoReadsThemLastAndWhoGetsTheirMemory) {
  constexpr int length = 6;
  const auto model = chain(length);
  auto checker = std::make_shared<Checker>();
  for (const Node& node : model->main().nodes)
    if (node.type == "SoftmaxV2") checker->nodes.push_back(&node);
  auto loaded = load(model, {.threads = 1, .observers = {checker}}).value();
  std::vector<float> x(4 * 256, 1), y(4 * 256);
  std::vector<Tensor> inputs{{DataType::Float, {4, 256}, backend::Layout::Plain, x.data()}};
  std::vector<Tensor> outputs{{DataType::Float, {4, 256}, backend::Layout::Plain, y.data()}};
  ASSERT_TRUE(loaded->run({1, 0, 0, 0, 0}, inputs, outputs).ok());
  EXPECT_EQ(checker->begun, 1);
  EXPECT_EQ(checker->tasks, std::make_pair(0u, static_cast<uint32_t>(length)));
  for (int i = 0; i < length; ++i) {
    const std::string name = checker->nodes[i]->name;
    const PlannedOutput& planned = checker->planned[name];
    EXPECT_EQ(planned.tensor.data, checker->places[name]);
    EXPECT_EQ(planned.task, checker->task_of[name]);
    EXPECT_EQ(planned.last_reader, static_cast<uint32_t>(i + 1));
    EXPECT_EQ(planned.callers, i + 1 == length);
    std::vector<uint32_t> expected, found;
    for (int other = 0; other < length; ++other)
      if (other != i && checker->places[checker->nodes[other]->name] == planned.tensor.data)
        expected.push_back(static_cast<uint32_t>(other));
    for (const PlannedOutput::Reuse& reuse : planned.reuses) {
      if (reuse.begin == 0 && reuse.end == 4 * 256 * sizeof(float)) found.push_back(reuse.task);
    }
    std::ranges::sort(found);
    EXPECT_EQ(found, expected) << name;
  }
}

}  // namespace
}  // namespace belay::executor
