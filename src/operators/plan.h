// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "base/status.h"
#include "executor/eager.h"
#include "executor/loaded_model.h"
#include "executor/program.h"
#include "graph/model/graph.h"
#include "operators/watch.h"

namespace belay::operators {

using backend::Tensor;
using executor::RunInfo;

// A small graph made ready to run outside a model: one operator, or the few that an aclnn call is made of. Its inputs
// are the Data nodes by `index`, its outputs those of NetOutput. Safe from any thread; runs follow one another.
class Plan {
 public:
  // Fails with the reasons of all nodes that cannot run.
  static Result<std::shared_ptr<Plan>> make(graph::Graph graph);

  // Whether the shapes are known before the inputs' values are. Else the plan runs node by node.
  bool fixed() const { return program_ != nullptr; }
  // Memory that a run needs besides its tensors, at any alignment; 0 for a plan that is not fixed.
  size_t work_bytes() const { return work_bytes_; }
  // Types and shapes of a fixed plan's results.
  const std::vector<graph::TensorInfo>& outputs() const { return program_->outputs(); }
  // Whether output `o` may lie in the very memory of input `i`; else outputs of a run overlap none of its inputs.
  bool may_share(size_t o, size_t i) const { return program_ && program_->may_share(o, i); }
  const graph::Graph& graph() const { return model_.main(); }

  // Runs a fixed plan on the calling thread; `work` has work_bytes(). `watch` may be null.
  Status run(const RunInfo& info, std::span<const Tensor> inputs, std::span<Tensor> outputs, void* work,
             const Watch* watch);
  // Runs node by node. Results are copied into the outputs, whose shapes say on return what came out; 100000 when a
  // result is larger than its output was said to be.
  Status run_nodes(const RunInfo& info, std::span<const Tensor> inputs, std::span<Tensor> outputs,
                   executor::Allocator& allocator, const Watch* watch);

 private:
  Plan() = default;

  graph::Model model_;
  std::unique_ptr<executor::Program> program_;
  std::unique_ptr<executor::EagerRunner> eager_;
  size_t work_bytes_ = 0;
  std::mutex mutex_;  // of the runs
  const std::shared_ptr<Relay> relay_ = std::make_shared<Relay>();
};

}  // namespace belay::operators
