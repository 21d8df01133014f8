// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "backend/kernel.h"
#include "graph/graph.h"

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
  bool single = false;  // an operator outside of a model: task_id is that of the call, for all its nodes
  OverflowGuard* guard = nullptr;  // null: results are left as they come
  bool clipped = false;            // saturation mode changed a result of the node that just ran
};

// Watches models run. An observer is told; it never changes what runs.
class Observer {
 public:
  virtual ~Observer() = default;
  // Asked once per node, when a model is loaded. Unwanted nodes cost nothing.
  virtual bool wants(const graph::Node& node) const = 0;
  // On the stream's thread, before the node runs: for nodes that may change their inputs. Only for wanted nodes.
  virtual void starts(const RunInfo&, const graph::Node&, std::span<const Tensor>) {}
  // On the stream's thread, after the node and before any later one. Tensors are borrowed: copy what must live on.
  virtual void ran(const RunInfo& run, const graph::Node& node, std::span<const Tensor> inputs,
                   std::span<const Tensor> outputs) = 0;
};

}  // namespace belay::executor
