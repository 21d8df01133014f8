// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "backend/kernel.h"
#include "backend/work.h"
#include "executor/faults/injection.h"
#include "executor/graph_walk.h"
#include "executor/observer.h"
#include "graph/infer/infer.h"
#include "graph/model/graph.h"

namespace belay::executor {

struct Running;

// What a graph is compiled with.
struct ProgramOptions {
  int threads = 1;
  std::string only_kernels;  // "reference": the plain kernels only
  std::vector<std::shared_ptr<Observer>> observers;
  uint32_t first_task = 0;             // tasks are numbered from here
  bool single = false;                 // operators outside of a model
  bool inside = false;                 // of a fused node, which tells of failures
  const graph::Node* fused = nullptr;  // that node, when it is watched
};

// A graph whose shapes are all known, made ready to run: kernels, layouts, and the place of every tensor in one arena.
// Nothing is allocated or decided while it runs. Used by one thread at a time.
class Program {
 public:
  // Fails with the names and reasons of all nodes that cannot run; `not_static` is set when the reason is a shape that
  // is not known. Without `inputs`, the Data nodes' own shapes hold.
  static Result<std::unique_ptr<Program>> compile(const graph::Model& model, const graph::Graph& graph, GraphRole role,
                                                  std::span<const graph::TensorInfo> inputs,
                                                  const ProgramOptions& options, bool& not_static);
  ~Program();

  size_t arena_bytes() const { return arena_bytes_; }
  // The number behind that of its last task.
  uint32_t tasks_end() const { return tasks_end_; }
  // What no plan could be smaller than.
  size_t least_arena_bytes() const { return least_arena_bytes_; }
  const std::vector<graph::TensorInfo>& outputs() const { return outputs_; }
  // Of operators outside of a model: whether output `o` may lie in the very memory of input `i`, as large as it.
  bool may_share(size_t o, size_t i) const { return std::ranges::count(shareable_, std::pair{o, i}) > 0; }

  // The arena that later runs use: at least arena_bytes() long, 64-byte aligned.
  void set_arena(void* arena);
  // From now on observers are told of the memory plan when a run begins.
  void tell_plan();
  // The outputs have memory; on return they have their types and shapes.
  Status run(RunInfo info, std::span<const Tensor> inputs, std::span<Tensor> outputs);

 private:
  friend class Compiler;

  // One kernel, one branch of a control node, or nothing (a node that only gives its input another shape).
  struct Step {
    // Of a node that was split.
    struct Part {
      NodeStep step;
      uint32_t task_id = 0;  // of the node
      std::vector<Observer*> watchers;
    };

    const graph::Node* node = nullptr;  // null: a change of layout
    std::unique_ptr<backend::Kernel> kernel;
    std::string_view how;  // the kernel's row
    std::vector<std::unique_ptr<Program>> branches;
    uint32_t task_id = 0;
    std::vector<Tensor> inputs, outputs;
    std::vector<Observer*> watchers;
    std::unique_ptr<Part> part;            // null: the node was not split, or nobody wants to see it
    std::unique_ptr<Injection> injection;  // null: no fault is meant for it
    void* scratch = nullptr;               // of the kernel
    bool outside = false;                  // some of its tensors are in the caller's memory
    bool in_place = false;                 // outputs are written over inputs
    std::optional<backend::Work> work;     // known once it was timed
  };
  // A tensor of a step whose memory is the program's input or output: set at each run.
  struct Patch {
    Tensor* tensor;
    bool output;
    size_t index;
  };
  // An output that no step writes in place.
  struct Copy {
    Tensor from;
    int input;  // from this input; -1: from `from`
    size_t output;
  };
  // Memory in the arena: of a tensor, or of a kernel's or branch's own.
  struct Placed {
    Tensor* tensor;
    Step* scratch_of;
    size_t offset;
  };

  Program() = default;
  Status run_steps(RunInfo& info);
  Status run_step(Step& step, RunInfo& info);
  Status run_change(Step& step, const RunInfo& info);
  void show_part(const Step& step, RunInfo info) const;
  static Running running(Step& step, const RunInfo& info);
  Status call(Step& step, const RunInfo& info);
  Status call_timed(Step& step, RunInfo info);
  Status call_plain(Step& step, const RunInfo& info);
  Status run_branch(Step& step, const RunInfo& info);

  std::vector<std::unique_ptr<Step>> steps_;
  std::vector<Patch> patches_;
  std::vector<Copy> copies_;
  std::vector<Placed> placed_;
  std::vector<graph::TensorInfo> outputs_;
  std::vector<std::pair<size_t, size_t>> shareable_;  // outputs and inputs
  size_t arena_bytes_ = 0, least_arena_bytes_ = 0;
  uint32_t tasks_end_ = 0;
  int threads_ = 1;
  bool inside_ = false;  // of a fused node, which tells of failures
  std::vector<std::shared_ptr<Observer>> observers_;
  std::unique_ptr<const MemoryPlan> plan_;  // null: nobody observes
  bool tells_plan_ = false;
};

}  // namespace belay::executor
