// SPDX-License-Identifier: Apache-2.0
// The part of Compiler that decides where tensors are.
#include <algorithm>

#include "executor/branch.h"
#include "executor/compile/arena_memory_plan.h"
#include "executor/compile/compiler.h"
#include "executor/faults/failure.h"

namespace belay::executor {
namespace {

size_t storage(const Tensor& tensor) { return tensor.bytes(); }

}  // namespace

// A root lives from the step that writes it to the last step that reads it or one of its views.
void Compiler::find_lives() {
  for (size_t step = 0; step < step_outputs_.size(); ++step) {
    for (const int value : step_outputs_[step])
      if (values_[value].root == value) values_[value].first = values_[value].last = static_cast<int>(step);
    for (const auto* used : {&step_inputs_[step], &step_outputs_[step]})
      for (const int value : *used)
        if (value >= 0) values_[root_of(value)].last = std::max(values_[root_of(value)].last, static_cast<int>(step));
  }
}

// A result is written straight into the caller's memory where a step makes it; else it is copied at the end.
void Compiler::place_outputs() {
  for (size_t i = 0; i < results_.size(); ++i) {
    if (results_[i] < 0) continue;
    Value& root = values_[root_of(results_[i])];
    const bool made_here = root.input < 0 && !root.constant;
    if (made_here && root.output < 0 && storage(root.tensor) == storage(values_[results_[i]].tensor)) {
      root.output = static_cast<int>(i);
      continue;
    }
    root.last = static_cast<int>(step_outputs_.size());
    Program::Copy copy{values_[results_[i]].tensor, root.input, i};
    program_->copies_.push_back(copy);
  }
}

// A fault finds its node here: the others never hear of it. An overwrite hits what is still needed afterwards.
void Compiler::add_faults() {
  if (faults().ops.empty() || role_ == GraphRole::Members) return;
  auto& steps = program_->steps_;
  for (size_t s = 0; s < steps.size(); ++s) {
    if (!steps[s]->node || !has_task(*steps[s]->node)) continue;
    steps[s]->injection = Injection::make(*steps[s]->node, options_.single);
    if (steps[s]->injection) aim_overwrites(s);
  }
}

void Compiler::aim_overwrites(size_t s) {
  auto& steps = program_->steps_;
  for (const OpFault* fault : steps[s]->injection->overwrites()) {
    const auto victim = std::ranges::find_if(steps, [&](const auto& step) {
      return step->node && has_task(*step->node) && is_meant(fault->victim, *step->node, options_.single);
    });
    if (victim == steps.end() || (*victim)->outputs.empty()) continue;  // say_what_hits_nothing told it
    const auto v = static_cast<size_t>(victim - steps.begin());
    const Value& root = values_[root_of(step_outputs_[v][0])];
    if (v > s)
      say_fault_is_idle(*fault, "\"" + fault->victim + "\" runs later");
    else if (root.output < 0 && root.last <= static_cast<int>(s))
      say_fault_is_idle(*fault, "no task reads the output of \"" + fault->victim + "\" after that");
    else
      steps[s]->injection->aim(*fault, (*victim)->outputs[0]);
  }
}

// Before memory is shared: which bytes each value is, and until when they matter.
void Compiler::know_needs() {
  for (size_t v = 0; v < values_.size(); ++v) {
    values_[v].content = root_of(static_cast<int>(v));
    const Value& root = values_[values_[v].content];
    values_[v].needed = root.output >= 0 ? static_cast<int>(step_outputs_.size()) : root.last;
  }
}

// An output takes over the memory of an input that nobody needs afterwards, where the kernel allows it and no observer
// looks at the inputs after the node ran.
void Compiler::share_memory() {
  if (inputs_are_kept_whole()) return;
  for (size_t s = 0; s < step_outputs_.size(); ++s) {
    Program::Step& step = *program_->steps_[s];
    const auto keeps = [&](const Observer* watcher) { return watcher->keeps_inputs(*step.node); };
    if (!step.kernel || step.part || std::ranges::any_of(step.watchers, keeps)) continue;
    for (size_t o = 0; o < step_outputs_[s].size(); ++o) {
      Value& output = values_[step_outputs_[s][o]];
      if (output.root != step_outputs_[s][o] || output.output >= 0) continue;
      for (size_t i = 0; i < step_inputs_[s].size(); ++i) {
        const int value = step_inputs_[s][i];
        if (value < 0 || !step.kernel->in_place(o, i)) continue;
        const int root = root_of(value);
        Value& input = values_[root];
        if (input.input >= 0 || input.constant || input.output >= 0 || input.last != static_cast<int>(s)) continue;
        if (storage(input.tensor) != storage(output.tensor)) continue;
        if (std::count_if(step_inputs_[s].begin(), step_inputs_[s].end(),
                          [&](int other) { return other >= 0 && root_of(other) == root; }) != 1)
          continue;
        output.root = root;
        step.in_place = true;
        input.last = std::max(input.last, output.last);
        break;
      }
    }
  }
}

// The caller's memory, where inputs and outputs are often the same: an output may be an input that nobody reads any
// more when the output is written, but for a kernel that allows it.
void Compiler::find_shareable() {
  if (!options_.single || inputs_are_kept_whole()) return;
  for (const Value& given : values_) {
    if (given.input < 0) continue;
    const auto input = static_cast<size_t>(given.input);
    for (size_t v = 0; v < values_.size(); ++v)
      if (values_[v].output >= 0 && written_after_reads(static_cast<int>(v), given.input))
        program_->shareable_.emplace_back(static_cast<size_t>(values_[v].output), input);
    for (const Program::Copy& copy : program_->copies_)
      if (copied_after_reads(copy, given.input)) program_->shareable_.emplace_back(copy.output, input);
  }
}

// Of the value `root`, in the memory of an output, and an input of the program.
bool Compiler::written_after_reads(int root, int input) const {
  for (const Program::Copy& copy : program_->copies_)
    if (copy.input == input) return false;  // which are made at the end
  for (size_t s = 0; s < program_->steps_.size(); ++s) {
    const Program::Step& step = *program_->steps_[s];
    if (!step.kernel && step.branches.empty()) continue;  // a view
    for (size_t i = 0; i < step_inputs_[s].size(); ++i) {
      const int value = step_inputs_[s][i];
      if (value < 0 || values_[root_of(value)].input != input) continue;
      if (static_cast<int>(s) < values_[root].first) continue;
      if (static_cast<int>(s) > values_[root].first || !step.kernel) return false;
      const auto o = std::ranges::find(step_outputs_[s], root) - step_outputs_[s].begin();
      if (!step.kernel->in_place(static_cast<size_t>(o), i)) return false;
    }
  }
  return true;
}

// Copies are made after all steps, so that only other copies read what they overwrite.
bool Compiler::copied_after_reads(const Program::Copy& copy, int input) const {
  return std::ranges::none_of(program_->copies_, [&](const Program::Copy& other) {
    return other.input == input && other.output != copy.output;
  });
}

void Compiler::plan() {
  std::vector<Block> blocks(values_.size());
  for (size_t v = 0; v < values_.size(); ++v) {
    const Value& value = values_[v];
    const bool stored = value.root == static_cast<int>(v) && value.input < 0 && !value.constant && value.output < 0;
    if (stored) blocks[v] = {storage(value.tensor), value.first, value.last};
  }
  for (size_t s = 0; s < program_->steps_.size(); ++s) {  // scratch lives for one step
    const Program::Step& step = *program_->steps_[s];
    size_t bytes = step.kernel ? step.kernel->scratch_bytes() : 0;
    for (const auto& branch : step.branches) bytes = std::max(bytes, branch->arena_bytes());
    blocks.push_back({bytes, static_cast<int>(s), static_cast<int>(s)});
  }
  program_->arena_bytes_ = plan_arena(blocks);
  program_->least_arena_bytes_ = least_arena(blocks);

  auto place = [&](Tensor& tensor, int value) {
    const int root = root_of(value);
    if (values_[root].constant) return;
    if (values_[root].input >= 0)
      program_->patches_.push_back({&tensor, false, static_cast<size_t>(values_[root].input)});
    else if (values_[root].output >= 0)
      program_->patches_.push_back({&tensor, true, static_cast<size_t>(values_[root].output)});
    else
      program_->placed_.push_back({&tensor, nullptr, blocks[root].offset});
  };
  for (size_t s = 0; s < program_->steps_.size(); ++s) {
    Program::Step& step = *program_->steps_[s];
    const size_t patches = program_->patches_.size();
    for (size_t i = 0; i < step.inputs.size(); ++i)
      if (step_inputs_[s][i] >= 0) place(step.inputs[i], step_inputs_[s][i]);
    for (size_t o = 0; o < step.outputs.size(); ++o) place(step.outputs[o], step_outputs_[s][o]);
    step.outside = program_->patches_.size() > patches;
    const Block& scratch = blocks[values_.size() + s];
    if (scratch.bytes > 0) program_->placed_.push_back({nullptr, &step, scratch.offset});
  }
  for (auto& copy : program_->copies_)
    if (copy.input < 0) place(copy.from, results_[copy.output]);
  if (!program_->observers_.empty()) keep_plan(blocks);
}

void Compiler::keep_plan(std::span<const Block> blocks) {
  auto plan = std::make_unique<ArenaMemoryPlan>(options_.first_task, program_->tasks_end_);
  const auto task_of = [&](int step) {
    return static_cast<size_t>(step) < program_->steps_.size() ? program_->steps_[step]->task_id : program_->tasks_end_;
  };
  for (size_t v = 0; v < values_.size(); ++v) {
    const Value& value = values_[v];
    const Value& root = values_[root_of(static_cast<int>(v))];
    if (value.content != static_cast<int>(v) || root.input >= 0 || root.constant || root.output >= 0) continue;
    plan->add_written({static_cast<int>(v), blocks[root_of(static_cast<int>(v))].offset, storage(value.tensor),
                       task_of(value.first)});
  }
  for (size_t s = 0; s < program_->steps_.size(); ++s) {
    const Program::Step& step = *program_->steps_[s];
    const Block& scratch = blocks[values_.size() + s];
    if (scratch.bytes > 0) plan->add_written({-1, scratch.offset, scratch.bytes, step.task_id});
    if (!step.node) continue;
    std::vector<ArenaMemoryPlan::Place> places;
    for (const int output : step_outputs_[s]) {
      const int root = root_of(output);
      const bool elsewhere = values_[root].output >= 0 || values_[root].input >= 0 || values_[root].constant;
      places.push_back({values_[output].content, blocks[root].offset, storage(values_[output].tensor),
                        task_of(values_[output].needed), elsewhere});
    }
    plan->add_node(*step.node, step.task_id, step.outputs, std::move(places));
  }
  program_->plan_ = std::move(plan);
}

}  // namespace belay::executor
