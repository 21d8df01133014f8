// SPDX-License-Identifier: Apache-2.0
#include "dump/observers/model_observer.h"

#include <utility>

#include "base/endings/endings.h"
#include "base/exception_words.h"
#include "base/log/log.h"
#include "dump/choice/step_choice.h"
#include "dump/format/names.h"
#include "executor/branch.h"

namespace belay::dump {

void ModelObserver::set_plan(std::shared_ptr<const ModelPlan> plan) {
  std::lock_guard lock(mutex_);
  plan_.swap(plan);
}

std::shared_ptr<const ModelPlan> ModelObserver::plan() const {
  std::lock_guard lock(mutex_);
  return plan_;
}

bool ModelObserver::wants(const graph::Node& node) const { return executor::has_task(node); }

// Tensors are taken after the node ran, in one file with its results; statistics of inputs may be taken before.
bool ModelObserver::keeps_inputs(const graph::Node& node) const {
  const auto plan = this->plan();
  if (!plan) return false;
  const DumpConfig& config = plan->setting->config;
  if (config.kind() != Kind::Operator) return true;
  const auto found = plan->selection.nodes.find(&node);
  return !config.stats && found != plan->selection.nodes.end() && !found->second.inputs.empty();
}

bool ModelObserver::wants_step(const executor::NodeStep& step) const {
  const auto plan = this->plan();
  if (plan && plan->selection.split.contains(step.node)) has_steps_ = true;
  return executor::has_task(*step.node);
}

bool ModelObserver::wants_run(const ModelPlan& plan, const RunInfo& run) {
  const Setting& setting = *plan.setting;
  if (run.data_index != step_ || plan.setting != seen_) {
    recorder_.forget_values();
    overflow_.forget();
    if (plan.setting != seen_) watcher_.forget();
    seen_ = plan.setting;
    step_ = run.data_index;
    step_wanted_ = setting.config.wants_step(step_) && outlet_.usable();
    directory_ = model_directory(run.device_id, name_, run.model_id, step_);
    if (!step_wanted_) watcher_.forget();
    guard_endings();  // the program may have installed handlers since
  }
  return step_wanted_ && (!setting.callback_only || outlet_.has_callback());
}

const ChosenNode* ModelObserver::chosen(const ModelPlan& plan, const RunInfo& run, const graph::Node& node) {
  if (!wants_run(plan, run)) return nullptr;
  const auto found = plan.selection.nodes.find(&node);
  return found == plan.selection.nodes.end() ? nullptr : &found->second;
}

void ModelObserver::record_data(const Setting& setting, const RunInfo& run, const ChosenNode& node,
                                std::span<const Tensor> inputs) {
  for (const ChosenData& data : node.data) recorder_.record_data(setting, directory_, run, data, inputs);
}

void ModelObserver::begins(const RunInfo& run, const executor::MemoryPlan& memory) {
  has_memory_plan_ = true;
  const auto plan = this->plan();
  if (!plan || plan->setting->config.kind() != Kind::Watch || !wants_run(*plan, run)) return;
  try {
    watcher_.begins(*plan->setting, directory_, run, plan->selection, memory);
  } catch (const std::exception& e) {
    watcher_.forget();
    log_notice(LogModule::Dump, "model \"{}\" is not watched: {}", name_, exception_words(e));
  }
}

void ModelObserver::ends(const RunInfo&) {
  if (outlet_.usable()) outlet_.write_batch();
  guard_endings();
  if (const auto plan = this->plan()) say_what_is_whole(*plan);
}

void ModelObserver::say_what_is_whole(const ModelPlan& plan) {
  if (!plan.selection.nodes.empty() || has_steps_ || std::exchange(said_whole_, true)) return;
  log_notice(LogModule::Dump,
             "dump_level \"kernel\" dumps nothing of model \"{}\": none of the selected operators was split into "
             "steps",
             name_);
}

void ModelObserver::watch(const ModelPlan& plan, const RunInfo& run, const graph::Node& node) {
  if (!has_memory_plan_ && !std::exchange(said_unwatched_, true))
    log_notice(LogModule::Dump, "model \"{}\" is not watched: its shapes are known only when it runs", name_);
  try {
    watcher_.ran(*plan.setting, directory_, run, plan.selection, node);
  } catch (const std::exception& e) {
    log_notice(LogModule::Dump, "what \"{}\" wrote is not checked: {}", node.name, exception_words(e));
  }
}

bool ModelObserver::inputs_come_first(const ModelPlan& plan, const RunInfo& run, const graph::Node& node) {
  if (plan.selection.changing.contains(&node)) return true;
  // The configuration that was there when the model was loaded did not need them.
  return run.in_place && (plan.setting->config.overflow || !plan.setting->config.stats);
}

void ModelObserver::starts(const RunInfo& run, const graph::Node& node, std::span<const Tensor> inputs) {
  const auto plan = this->plan();
  if (!plan || plan->setting->config.kind() == Kind::Watch) return;
  const bool first = inputs_come_first(*plan, run, node);
  if (!first && !run.in_place) return;
  const ChosenNode* found = chosen(*plan, run, node);
  if (!found) return;
  if (plan->setting->config.overflow) return overflow_.keep(node, inputs);
  if (!first) return recorder_.measure_inputs(*plan->setting, *found, inputs);
  recorder_.record(*plan->setting, directory_, run, *found, inputs, {});
  record_data(*plan->setting, run, *found, inputs);
}

void ModelObserver::ran(const RunInfo& run, const graph::Node& node, std::span<const Tensor> inputs,
                        std::span<const Tensor> outputs) {
  const auto plan = this->plan();
  if (!plan) return;
  if (plan->setting->config.kind() == Kind::Watch) {
    if (wants_run(*plan, run)) watch(*plan, run, node);
    return;
  }
  const ChosenNode* found = chosen(*plan, run, node);
  const bool first = inputs_come_first(*plan, run, node);
  if (plan->selection.changing.contains(&node)) recorder_.forget_values();
  if (!found) return;
  if (plan->setting->config.overflow) {
    if (first) return overflow_.judge_changed(*plan->setting, directory_, run, *found, outputs);
    return overflow_.judge(*plan->setting, directory_, run, *found, inputs, outputs);
  }
  recorder_.record(*plan->setting, directory_, run, *found, first ? std::span<const Tensor>() : inputs, outputs);
  if (!first) record_data(*plan->setting, run, *found, inputs);
}

void ModelObserver::ran_step(const RunInfo& run, const executor::NodeStep& step, std::span<const Tensor> inputs,
                             std::span<const Tensor> outputs) {
  const auto plan = this->plan();
  if (!plan) return;
  const auto found = plan->selection.split.find(step.node);
  if (found == plan->selection.split.end() || !wants_run(*plan, run)) return;
  // What a kernel wrote to its own inputs is among its outputs; what they were before nobody has kept.
  const bool changes = step.kind == executor::NodeStep::Kind::Computes && changes_inputs(*step.part);
  const ChosenStep chosen = choose_step(plan->setting->config.mode, step, found->second,
                                        changes ? std::span<const Tensor>() : inputs, outputs);
  recorder_.record(*plan->setting, directory_, run, chosen.node, chosen.inputs, chosen.outputs);
}

OperatorObserver::OperatorObserver(Outlet& outlet, std::shared_ptr<const Setting> setting, OperatorLevel level)
    : recorder_(outlet),
      overflow_(outlet, recorder_,
                level == OperatorLevel::Operator ? OverflowFinder::Tells::Opdebug : OverflowFinder::Tells::Nothing),
      setting_(std::move(setting)),
      level_(level) {
  guard_endings();
}

ChosenNode OperatorObserver::chosen(const graph::Node& node) const {
  ChosenNode chosen = choose_operator(setting_->config.mode, node);
  chosen.with_empty = false;
  return chosen;
}

void OperatorObserver::starts(const RunInfo& run, const graph::Node& node, std::span<const Tensor> inputs) {
  const bool changes = changes_inputs(node);
  if (setting_->config.overflow) {
    // The program may give one memory as input and output, which only its outputs show.
    if (changes || level_ == OperatorLevel::Operator) overflow_.keep(node, inputs);
    return;
  }
  if (level_ == OperatorLevel::Operator && !changes) return;
  recorder_.record(*setting_, std::to_string(run.device_id), run, chosen(node), inputs, {});
}

void OperatorObserver::ran(const RunInfo& run, const graph::Node& node, std::span<const Tensor> inputs,
                           std::span<const Tensor> outputs) {
  const bool changes = changes_inputs(node);
  const std::string directory = std::to_string(run.device_id);
  if (setting_->config.overflow) {
    if (changes || level_ == OperatorLevel::Operator)
      return overflow_.judge_changed(*setting_, directory, run, chosen(node), outputs);
    return overflow_.judge(*setting_, directory, run, chosen(node), inputs, outputs);
  }
  const bool apart = changes || level_ != OperatorLevel::Operator;
  recorder_.record(*setting_, directory, run, chosen(node), apart ? std::span<const Tensor>() : inputs, outputs);
}

}  // namespace belay::dump
