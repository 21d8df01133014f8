// SPDX-License-Identifier: Apache-2.0
// The part of Compiler that knows which nodes were split into steps, and shows these to observers.
#include <algorithm>
#include <set>

#include "executor/branch.h"
#include "executor/compile/compiler.h"

namespace belay::executor {

using graph::Node;

// A change of layout is a step of the node that reads the result; where that has no task (it leaves the graph, is a
// view, runs other graphs), of the node that made the value. Null: of neither.
std::unique_ptr<Program::Step::Part> Compiler::part_of_change(int reader, size_t port) const {
  const Node* node = &graph_.nodes[reader];
  NodeStep step{.part = node, .kind = NodeStep::Kind::ChangesInput, .port = port};
  if (!has_task(*node)) {
    graph::Edge edge = node->inputs[port];
    while (is_view(graph_.nodes[edge.node]) && graph_.nodes[edge.node].inputs[0].connected())
      edge = graph_.nodes[edge.node].inputs[0];
    step = {.part = &graph_.nodes[edge.node],
            .kind = NodeStep::Kind::ChangesOutput,
            .port = static_cast<size_t>(edge.output)};
    if (!has_task(*step.part)) return nullptr;
  }
  step.node = options_.fused ? options_.fused : step.part;
  auto part = std::make_unique<Program::Step::Part>();
  part->step = step;
  return part;
}

// A node was split when layouts are changed for it, or when it runs as its members. Only what somebody wants is kept.
void Compiler::show_parts() {
  std::set<const Node*> split;
  for (const auto& step : program_->steps_)
    if (step->part) split.insert(step->part->step.part);
  std::map<const Node*, uint32_t> tasks;
  for (const auto& step : program_->steps_) {
    if (!step->node) continue;
    tasks[step->node] = step->task_id;
    if (!step->kernel || !has_task(*step->node) || !(options_.fused || split.contains(step->node))) continue;
    step->part = std::make_unique<Program::Step::Part>();
    step->part->step = {.node = options_.fused ? options_.fused : step->node, .part = step->node};
  }
  for (const auto& step : program_->steps_) {
    if (!step->part) continue;
    step->part->task_id = tasks[step->part->step.part];
    for (const auto& observer : options_.observers)
      if (observer->wants_step(step->part->step)) step->part->watchers.push_back(observer.get());
    if (step->part->watchers.empty()) step->part = nullptr;
  }
}

}  // namespace belay::executor
