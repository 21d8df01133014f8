// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unordered_map>
#include <vector>

#include "executor/observer.h"

namespace belay::executor {

// The plan of a program's arena, kept for observers. It borrows the tensors of the program's steps.
class ArenaMemoryPlan : public MemoryPlan {
 public:
  // Bytes of the arena that a task writes: a value, or scratch (-1).
  struct Written {
    int value;
    size_t offset, bytes;
    uint32_t task;
  };
  // Where an output is; `value` as in Written.
  struct Place {
    int value;
    size_t offset, bytes;
    uint32_t last_reader;
    bool callers;
  };

  ArenaMemoryPlan(uint32_t first_task, uint32_t tasks_end) : first_task_(first_task), tasks_end_(tasks_end) {}
  void add_written(const Written& written) { written_.push_back(written); }
  void add_node(const graph::Node& node, uint32_t task, const std::vector<Tensor>& outputs, std::vector<Place> places) {
    nodes_.emplace(&node, Outputs{task, &outputs, std::move(places)});
  }

  std::vector<PlannedOutput> outputs_of(const graph::Node& node) const override;
  std::pair<uint32_t, uint32_t> tasks() const override { return {first_task_, tasks_end_}; }

 private:
  struct Outputs {
    uint32_t task;
    const std::vector<Tensor>* tensors;
    std::vector<Place> places;
  };

  const uint32_t first_task_, tasks_end_;
  std::vector<Written> written_;
  std::unordered_map<const graph::Node*, Outputs> nodes_;
};

}  // namespace belay::executor
