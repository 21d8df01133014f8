// SPDX-License-Identifier: Apache-2.0
#include "executor/program.h"

#include <algorithm>
#include <cstring>

#include "base/endings/trap.h"
#include "base/threads/parallel.h"
#include "executor/branch.h"
#include "executor/faults/failure.h"
#include "executor/overflow_guard.h"
#include "executor/timing.h"

namespace belay::executor {
namespace {

// What a step that is no node's is called when it fails.
const graph::Node& layout_change() {
  static const auto& node = *new graph::Node{.name = "change_of_layout", .type = "TransData"};
  return node;
}

}  // namespace

Program::~Program() = default;

void Program::set_arena(void* arena) {
  auto* base = static_cast<std::byte*>(arena);
  for (const Placed& placed : placed_) {
    if (placed.tensor) placed.tensor->data = base + placed.offset;
    if (!placed.scratch_of) continue;
    placed.scratch_of->scratch = base + placed.offset;
    if (placed.scratch_of->kernel) placed.scratch_of->kernel->set_scratch(base + placed.offset);
    for (const auto& branch : placed.scratch_of->branches) branch->set_arena(base + placed.offset);
  }
  for (const auto& step : steps_)  // branches that need no memory must still know their tensors' places
    for (const auto& branch : step->branches)
      if (branch->arena_bytes() == 0) branch->set_arena(base);
}

void Program::tell_plan() {
  tells_plan_ = true;
  for (const auto& step : steps_)
    for (const auto& branch : step->branches) branch->tell_plan();
}

Status Program::run(RunInfo info, std::span<const Tensor> inputs, std::span<Tensor> outputs) {
  const ThreadScope threads(threads_);
  for (const Patch& patch : patches_)
    patch.tensor->data = patch.output ? outputs[patch.index].data : inputs[patch.index].data;
  if (plan_ && tells_plan_)
    for (const auto& observer : observers_) observer->begins(info, *plan_);
  const Status status = run_steps(info);
  for (const auto& observer : observers_) observer->ends(info);
  if (!status.ok()) return status;
  for (const Copy& copy : copies_) {
    const void* from = copy.input >= 0 ? inputs[static_cast<size_t>(copy.input)].data : copy.from.data;
    const size_t bytes = graph::bytes_of(copy.from.type, copy.from.count());
    if (bytes > 0 && from != outputs[copy.output].data) std::memcpy(outputs[copy.output].data, from, bytes);
  }
  for (size_t i = 0; i < outputs_.size(); ++i) {
    outputs[i].type = outputs_[i].type;
    outputs[i].shape = outputs_[i].shape;
  }
  return {};
}

Status Program::run_steps(RunInfo& info) {
  for (const auto& step : steps_) TRY(run_step(*step, info));
  return {};
}

Status Program::run_change(Step& step, const RunInfo& info) {
  Status status = call(step, info);
  if (!status.ok() && !inside_) report_failure(running(step, info), status);
  if (status.ok() && step.part) show_part(step, info);
  return status;
}

void Program::show_part(const Step& step, RunInfo info) const {
  if (!info.single && !inside_) info.task_id = step.part->task_id;
  for (Observer* watcher : step.part->watchers) watcher->ran_step(info, step.part->step, step.inputs, step.outputs);
}

Status Program::run_step(Step& step, RunInfo& info) {
  if (!step.node) return run_change(step, info);
  if (!info.single && !inside_) info.task_id = step.task_id;
  info.in_place = step.in_place;
  const uint64_t clipped_before = info.guard ? info.guard->clipped() : 0;
  for (Observer* watcher : step.watchers) watcher->starts(info, *step.node, step.inputs);
  if (info.guard && step.kernel) info.guard->before(step.inputs, step.outputs);
  Status status = call(step, info);
  if (!status.ok()) {
    if (!inside_ && !is_choice(*step.node))  // else who runs the other graph says it, or has said it
      report_failure(running(step, info), status);
    return status;
  }
  if (info.guard && step.kernel) info.guard->after(*step.kernel, step.inputs, step.outputs);
  info.clipped = info.guard && info.guard->clipped() != clipped_before;
  for (Observer* watcher : step.watchers) watcher->ran(info, *step.node, step.inputs, step.outputs);
  if (step.part) show_part(step, info);
  return {};
}

Running Program::running(Step& step, const RunInfo& info) {
  std::span<const std::byte> scratch;
  if (step.kernel && step.scratch) scratch = {static_cast<std::byte*>(step.scratch), step.kernel->scratch_bytes()};
  return {info, step.node ? *step.node : layout_change(), step.how, step.inputs, step.outputs, scratch};
}

Status Program::call(Step& step, const RunInfo& info) {
  if (!timeline::on() || !step.branches.empty()) [[likely]]  // of branches, their steps are timed
    return call_plain(step, info);
  return call_timed(step, info);
}

Status Program::call_timed(Step& step, RunInfo info) {
  if (!info.single && !inside_) info.task_id = step.task_id;
  const auto work = [&] {
    if (!step.work && step.kernel) {
      step.work = backend::work_of(step.node ? *step.node : layout_change(), step.inputs, step.outputs);
      if (!step.node) step.work->flops = 0;
    }
    return step.work.value_or(backend::Work{});
  };
  return timed(
      info, step.node ? *step.node : layout_change(), step.kernel ? step.how : "view",
      [&] { return call_plain(step, info); }, work);
}

Status Program::call_plain(Step& step, const RunInfo& info) {
  const auto run = [&]() -> Status {
    if (step.kernel) return as_exception(step.kernel->run(step.inputs, step.outputs));
    return step.branches.empty() ? Status{} : run_branch(step, info);
  };
  const Injection* injection = step.injection && faults().hits(info.device_id) ? step.injection.get() : nullptr;
  if (!injection && !traps_enabled()) [[likely]]
    return run();
  if (step.outside) TRY(check_memory(running(step, info)));
  Status status = call_guarded(running(step, info), injection, run);
  if (injection && status.ok()) injection->after(step.outputs, step.kernel || !step.branches.empty());
  return status;
}

Status Program::run_branch(Step& step, const RunInfo& info) {
  const size_t chosen = TRY(choose_branch(*step.node, step.inputs, step.branches.size()));
  std::vector<Tensor> outputs = step.outputs;  // a branch of a smaller gear gives them smaller shapes
  return step.branches[chosen]->run(info, step.inputs, outputs);
}

}  // namespace belay::executor
