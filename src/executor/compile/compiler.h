// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "executor/compile/arena_plan.h"
#include "executor/program.h"
#include "graph/infer/graph.h"

namespace belay::executor {

// Makes a Program from a graph: first the steps, then who may share memory with whom, then the arena.
class Compiler {
 public:
  Compiler(const graph::Model& model, const graph::Graph& graph, GraphRole role, const ProgramOptions& options);

  // `not_static` tells a shape that is not known from an operator that cannot run.
  Result<std::unique_ptr<Program>> compile(std::span<const graph::TensorInfo> inputs, bool& not_static);

 private:
  // A tensor while compiling. Views share the memory of their root.
  struct Value {
    Tensor tensor;  // data is set for constants
    const graph::Constant* constant = nullptr;
    int input = -1;   // the program's input that it is
    int output = -1;  // the program's output in whose memory it is written
    int root = -1;    // index of the value whose memory it is; of itself for most
    int first = 0, last = 0;
    int content = -1;  // the value whose bytes these are: itself, but for views
    int needed = 0;    // the last step that reads the content
  };

  Status infer(std::span<const graph::TensorInfo> inputs);
  Status add_node(NodeKind kind, int index);
  void add_input(int index);
  void add_constant(int index);
  Status add_kernel(int index);
  Status add_choice(int index);
  Status add_members(int index);
  void add_results(int index);

  Program::Step& add_step(const graph::Node& node);
  int add_value(Tensor tensor);
  void make_view(int value, int of);
  void know_constant(int value);
  int as_layout(int value, backend::Layout layout, int reader, size_t port);
  void add_change(int value, int made, int reader, size_t port);
  std::unique_ptr<Program::Step::Part> part_of_change(int reader, size_t port) const;
  std::vector<int> inputs_of(const graph::Node& node) const;
  void use(Program::Step& step, const std::vector<int>& inputs, const std::vector<int>& outputs);
  int root_of(int value) const;

  void show_parts();
  void find_lives();
  void place_outputs();
  void add_faults();
  void aim_overwrites(size_t step);
  void know_needs();
  void share_memory();
  void find_shareable();
  bool written_after_reads(int root, int input) const;
  bool copied_after_reads(const Program::Copy& copy, int input) const;
  void plan();
  void keep_plan(std::span<const Block> blocks);

  const graph::Model& model_;
  const graph::Graph& graph_;
  const GraphRole role_;
  const ProgramOptions& options_;
  std::span<const graph::TensorInfo> inputs_;
  graph::GraphInference inference_;
  std::unique_ptr<Program> program_;
  bool not_static_ = false;

  std::vector<Value> values_;
  std::vector<std::vector<int>> of_node_;                     // values by node and output
  std::vector<std::vector<int>> step_inputs_, step_outputs_;  // values by step and port; -1: not connected
  std::map<std::pair<int, backend::Layout>, int> reordered_;
  std::vector<int> results_;  // values by the program's output
  uint32_t next_task_ = 0;
};

}  // namespace belay::executor
