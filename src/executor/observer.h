// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "backend/kernel.h"
#include "graph/model/graph.h"

namespace belay::executor {

using backend::Tensor;
class OverflowGuard;

// Which execution a node's run belongs to.
struct RunInfo {
  uint32_t model_id;
  uint64_t data_index;  // 0-based count of executions of the loaded model
  uint32_t task_id;     // of the node, fixed at load
  uint32_t stream_id;
  int device_id;
  bool single = false;             // an operator outside of a model: task_id is that of the call, for all its nodes
  OverflowGuard* guard = nullptr;  // null: results are left as they come
  bool clipped = false;            // saturation mode changed a result of the node that just ran
  bool in_place = false;           // the node writes its results over inputs: only starts() sees them
};

// An output of a node, and what is planned for its memory. Tasks are numbered as in RunInfo.
struct PlannedOutput {
  // Part of its memory that something else is written to when `task` runs.
  struct Reuse {
    uint32_t task;
    size_t begin, end;
  };

  uint32_t task = 0;         // that writes it
  Tensor tensor;             // where it is, before the node has run as well
  bool callers = false;      // in memory that is not the model's own
  uint32_t last_reader = 0;  // once this task has run, nobody needs the output
  std::vector<Reuse> reuses;
};

// How the memory of a graph is planned.
class MemoryPlan {
 public:
  virtual ~MemoryPlan() = default;
  // In their order; none for a node that is not of this graph.
  virtual std::vector<PlannedOutput> outputs_of(const graph::Node& node) const = 0;
  // The tasks of the graph: from the first to the one before the second.
  virtual std::pair<uint32_t, uint32_t> tasks() const = 0;
};

// One of the steps that the executor makes of a node which it does not run as one: a change of layout before or after
// the kernel, the kernel itself, or a member of a fused node that no kernel computes as a whole.
struct NodeStep {
  enum class Kind { ChangesInput, Computes, ChangesOutput };

  const graph::Node* node = nullptr;  // that was split
  const graph::Node* part = nullptr;  // whose inputs and outputs the step's are: the node, or a member of it
  Kind kind = Kind::Computes;
  size_t port = 0;  // of a change of layout: the input or output of `part` that it changes

  // What the step is called within the node: "kernel", "TransData_input0", "<member>", "<member>_TransData_output0".
  std::string name() const;
  // The operator that the step is: TransData, or what `part` is.
  const std::string& type() const;
};

// Watches models run. An observer is told; it never changes what runs.
class Observer {
 public:
  virtual ~Observer() = default;
  // Asked once per node, when a model is loaded. Unwanted nodes cost nothing.
  virtual bool wants(const graph::Node& node) const = 0;
  // Asked once per wanted node, when a model is loaded: whether its inputs are looked at after it ran. If nobody does,
  // it may write its results over them.
  virtual bool keeps_inputs(const graph::Node&) const { return true; }
  // Asked once per step of each node that was split, when a model is loaded; where shapes come with the data, when the
  // node runs.
  virtual bool wants_step(const NodeStep&) const { return false; }
  // On the stream's thread, before the first node of a graph whose shapes were known at load: the model's own, or that
  // of a branch. The plan is borrowed.
  virtual void begins(const RunInfo&, const MemoryPlan&) {}
  // On the stream's thread, after the last node of the model or of a branch, or after the one that failed.
  virtual void ends(const RunInfo&) {}
  // On the stream's thread, before the node runs: for nodes that may change their inputs. Only for wanted nodes.
  virtual void starts(const RunInfo&, const graph::Node&, std::span<const Tensor>) {}
  // On the stream's thread, after the node and before any later one. Tensors are borrowed: copy what must live on.
  virtual void ran(const RunInfo& run, const graph::Node& node, std::span<const Tensor> inputs,
                   std::span<const Tensor> outputs) = 0;
  // The same after a wanted step of a node. The tensors are in the layouts that they really have.
  virtual void ran_step(const RunInfo&, const NodeStep&, std::span<const Tensor> /*inputs*/,
                        std::span<const Tensor> /*outputs*/) {}
};

}  // namespace belay::executor
