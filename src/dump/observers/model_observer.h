// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "dump/observers/output_watcher.h"
#include "dump/observers/overflow.h"
#include "dump/observers/tensor_recorder.h"

namespace belay::dump {

// A setting, and what it chooses in one model.
struct ModelPlan {
  std::shared_ptr<const Setting> setting;
  Selection selection;
};

// Dumps a loaded model, those of its operators that overflow, or the outputs that are watched. It observes every
// operator with a task, so that a later configuration may choose others.
class ModelObserver : public executor::Observer {
 public:
  ModelObserver(Outlet& outlet, std::string name, std::shared_ptr<const ModelPlan> plan)
      : outlet_(outlet),
        name_(std::move(name)),
        plan_(std::move(plan)),
        recorder_(outlet, true),
        overflow_(outlet, recorder_, OverflowFinder::Tells::OpdebugAndGrowth),
        watcher_(outlet, recorder_) {}

  const std::string& name() const { return name_; }
  // From any thread. Null: nothing is dumped any more.
  void set_plan(std::shared_ptr<const ModelPlan> plan);

  bool wants(const graph::Node& node) const override;
  bool keeps_inputs(const graph::Node& node) const override;
  bool wants_step(const executor::NodeStep& step) const override;
  void begins(const RunInfo& run, const executor::MemoryPlan& memory) override;
  void ends(const RunInfo& run) override;
  void starts(const RunInfo& run, const graph::Node& node, std::span<const Tensor> inputs) override;
  void ran(const RunInfo& run, const graph::Node& node, std::span<const Tensor> inputs,
           std::span<const Tensor> outputs) override;
  void ran_step(const RunInfo& run, const executor::NodeStep& step, std::span<const Tensor> inputs,
                std::span<const Tensor> outputs) override;

 private:
  std::shared_ptr<const ModelPlan> plan() const;
  // Whether the node's inputs must be taken before it runs, for a file of their own.
  static bool inputs_come_first(const ModelPlan& plan, const RunInfo& run, const graph::Node& node);
  void say_what_is_whole(const ModelPlan& plan);
  // Whether this execution is to be dumped.
  bool wants_run(const ModelPlan& plan, const RunInfo& run);
  // The node's choice when this execution is to be dumped; null when not.
  const ChosenNode* chosen(const ModelPlan& plan, const RunInfo& run, const graph::Node& node);
  void watch(const ModelPlan& plan, const RunInfo& run, const graph::Node& node);
  void record_data(const Setting& setting, const RunInfo& run, const ChosenNode& node, std::span<const Tensor> inputs);

  Outlet& outlet_;
  const std::string name_;
  mutable std::mutex mutex_;
  std::shared_ptr<const ModelPlan> plan_;       // guarded by mutex_
  mutable std::atomic<bool> has_steps_{false};  // a chosen node was split
  // Of the stream's thread: executions of a model follow one another.
  TensorRecorder recorder_;
  OverflowFinder overflow_;
  OutputWatcher watcher_;
  bool has_memory_plan_ = false, said_unwatched_ = false, said_whole_ = false;
  std::shared_ptr<const Setting> seen_;  // with which step_ was looked at
  uint64_t step_ = UINT64_MAX;
  bool step_wanted_ = false;
  std::string directory_;
};

// An operator outside of any model, as the program called it: aclop, a kernel of an aclnn call, the call as a whole.
enum class OperatorLevel { Operator, Kernel, Call };

// Dumps one operator that runs outside of a model, as the current mode asks, or when it overflows. aclnn operators have
// their inputs in a file of their own; when they overflow there is one file, and no Opdebug.
class OperatorObserver : public executor::Observer {
 public:
  OperatorObserver(Outlet& outlet, std::shared_ptr<const Setting> setting, OperatorLevel level);

  bool wants(const graph::Node&) const override { return true; }
  void starts(const RunInfo& run, const graph::Node& node, std::span<const Tensor> inputs) override;
  void ran(const RunInfo& run, const graph::Node& node, std::span<const Tensor> inputs,
           std::span<const Tensor> outputs) override;

 private:
  ChosenNode chosen(const graph::Node& node) const;

  TensorRecorder recorder_;
  OverflowFinder overflow_;
  const std::shared_ptr<const Setting> setting_;
  const OperatorLevel level_;
};

}  // namespace belay::dump
