// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "blame/executions.h"
#include "blame/held.h"
#include "executor/graph_walk.h"
#include "graph/model/graph.h"

namespace belay::blame {

// A run of an operator of the model that the side recorded.
struct Ran {
  const graph::Node& node;
  const Record& record;
  std::span<const Held> made;  // its inputs as their producers left them
  std::span<const Held> read;  // as the record has them; where it has none, as `made`
  bool in_loop = false;
  std::vector<std::string> unrecorded =
      {};                             // operators before it that `node` was joined with, since they have no record
  const graph::Node* last = nullptr;  // then, the operator of the model; else null

  const graph::Node& op() const { return last ? *last : node; }  // of the model
};

// Follows one execution of a model in the order in which its operators run, with the values that the side recorded:
// branches and loops go as they went. Nothing is computed but views. Operators
// without a record are joined with the next that has one.
class Walk {
 public:
  using Visit = std::function<void(const Ran&)>;

  // All must outlive it. `visit` is called for each recorded run.
  Walk(const graph::Model& model, const Execution& execution, const GivenTensors& given, Visit visit);

  // The results of the model, as far as they are known.
  std::vector<Held> run();

  // The inputs of the model by name, after run().
  const std::map<std::string, Held>& inputs() const { return inputs_; }
  // The operators with a task that ran and were not recorded, and the records that are of no operator; after run().
  const std::vector<const graph::Node*>& unrecorded() const { return unrecorded_; }
  const std::vector<const Record*>& foreign() const { return foreign_; }
  // Records of operators that did not run as often as that; after run().
  std::vector<const Record*> superfluous() const;

 private:
  using Tensors = std::vector<Held>;

  Tensors walk(const graph::Graph& graph, executor::GraphRole role, const Tensors& inputs);
  Tensors run_node(executor::NodeKind kind, const graph::Node& node, const Tensors& inputs);
  Tensors run_operator(const graph::Node& node, const Tensors& inputs);
  Tensors skip_operator(const graph::Node& node, const Tensors& inputs);
  void visit(const graph::Node& node, const Record& record, const Tensors& made, const Tensors& read);
  Tensors run_choice(const graph::Node& node, const Tensors& inputs);
  Tensors run_loop(const graph::Node& node, Tensors variables);
  Held graph_input(const graph::Node& node);
  void sort_records(const Execution& execution);
  const Record* next_record(const graph::Node& node);
  const std::vector<const Record*>* records_of(const graph::Node& node) const;
  bool has_records_left(const graph::Graph& graph) const;

  const graph::Model& model_;
  const GivenTensors& given_;
  const Visit visit_;
  std::map<std::string, std::vector<const Record*>> records_;  // by operator of the model
  std::deque<Record> by_origin_;                               // records of operators that another fusion made
  std::vector<const Record*> foreign_;
  std::map<const std::vector<const Record*>*, size_t> used_;
  std::map<std::string, Held> inputs_;
  std::vector<const graph::Node*> unrecorded_;
  int loops_ = 0;
};

}  // namespace belay::blame
