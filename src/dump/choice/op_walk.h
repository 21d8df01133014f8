// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unordered_map>
#include <vector>

#include "dump/choice/selection.h"
#include "graph/model/graph.h"

namespace belay::dump {

// The operators of a model in the order in which they run, graphs of control operators in their place.
class OpWalk {
 public:
  explicit OpWalk(const graph::Model& model);

  // Those that run as a task: no Data, Const, NetOutput, views, control operators.
  const std::vector<const graph::Node*>& tasks() const { return tasks_; }
  const std::vector<const graph::Node*>& all() const { return all_; }

  // Which value an input of a node is; a key without a node when it may change during an execution.
  ValueKey value_of(const graph::Node& node, size_t input) const;
  ValueKey output_of(const graph::Node& node, size_t output) const;
  // The Data operator of the main graph that feeds the input directly; null when it is something else.
  const graph::Node* data_of(const graph::Node& node, size_t input) const;
  // The constant that the input is, null when it is none.
  static const graph::Constant* constant_of(const graph::Node* producer);
  // The node that makes the input, in whatever graph; null for an open one.
  const graph::Node* producer_of(const graph::Node& node, size_t input) const;

 private:
  struct Where {
    const graph::Graph* graph;
    const graph::Node* parent;  // the control operator whose graph it is; null in the main graph
    bool in_loop;
  };

  void add(const graph::Model& model, const graph::Graph& graph, const graph::Node* parent, bool in_loop);

  std::vector<const graph::Node*> all_, tasks_;
  std::unordered_map<const graph::Node*, Where> where_;
};

}  // namespace belay::dump
