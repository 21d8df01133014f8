// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "dump/config/config.h"
#include "dump/format/record.h"
#include "dump/format/statistics.h"
#include "graph/model/graph.h"

// What a configuration chooses in a model: all that can be said when the model is loaded.
namespace belay::dump {

// A tensor of a model that is written once per execution: output `output` of `node`, whoever reads it. No node: one
// that may change within an execution.
struct ValueKey {
  const graph::Node* node = nullptr;
  int output = 0;
  bool operator==(const ValueKey&) const = default;
};
struct ValueKeyHash {
  size_t operator()(const ValueKey& key) const {
    return std::hash<const void*>()(key.node) ^ static_cast<size_t>(key.output) * 0x9e3779b97f4a7c15u;
  }
};

// An input or output of a chosen node, and what its entry in a header says of it.
struct ChosenTensor {
  size_t port = 0;  // of the node's own inputs or outputs
  int32_t format = 0, sub_format = 0;
  graph::Shape original_shape;                 // used when it has as many elements as the tensor
  bool stored = false;                         // another order of them
  std::optional<OriginalOp> original_op;       // outputs of models only
  const graph::Constant* constant = nullptr;   // the value of an input that never changes
  std::shared_ptr<const Statistics> measured;  // of the constant, when statistics are wanted
  ValueKey value;
};

// A Data operator that feeds a chosen node; it has a file of its own.
struct ChosenData {
  std::string stem, name;  // as of ChosenNode
  size_t port = 0;         // the node's input that it feeds
  int32_t format = 0, sub_format = 0;
  ValueKey value;
};

// A node whose tensors are dumped.
struct ChosenNode {
  std::string stem;                           // "<type>.<name>", mangled: what file names begin with
  std::string name;                           // as it is
  std::vector<ChosenTensor> inputs, outputs;  // without those of black lists; none of those that the mode leaves out
  std::vector<ChosenData> data;
  bool with_empty = true;  // whether tensors without elements are listed
};

struct Selection {
  std::unordered_map<const graph::Node*, ChosenNode> nodes;
  // Operators that write to their inputs, chosen or not: their inputs have a file of their own, written before they
  // run.
  std::unordered_set<const graph::Node*> changing;
  // Instead of `nodes`, with the level "kernel": those whose steps have files, if the executor splits them. All inputs
  // and outputs, in their order.
  std::unordered_map<const graph::Node*, ChosenNode> split;
  // Watch scene, where `nodes` are those that are watched: the operators after each of which they are looked at.
  std::unordered_set<const graph::Node*> writers;
  // Names in the configuration that match nothing in the model.
  std::vector<std::string> warnings;

  bool empty() const { return nodes.empty() && split.empty(); }
};

// Whether the item of dump_list is about this model. `name`: the stem of its file, or its own name.
bool applies(const ListItem& item, const std::string& name, const graph::Model& model);
// Whether any item is.
bool applies(const DumpConfig& config, const std::string& name, const graph::Model& model);

Selection select(const DumpConfig& config, const std::string& name, const graph::Model& model);

// The same for the watch scene, whose names are those after fusion.
Selection select_watched(const DumpConfig& config, const std::string& name, const graph::Model& model);

// The statistics of all chosen constants, once each: executions need not look at them.
void measure_constants(Selection& selection, bool with_l2norm);

// One operator outside of any model, as the mode asks.
ChosenNode choose_operator(Mode mode, const graph::Node& node);
ChosenTensor choose_input(const graph::Node& node, size_t port);
ChosenTensor choose_output(const graph::Node& node, size_t port);
// The outputs of an operator of a model.
ChosenNode choose_outputs(const graph::Node& node);

// Whether the operator writes to one of its own inputs: collective communication, and those whose declaration has an
// output of an input's name.
bool changes_inputs(const graph::Node& node);

}  // namespace belay::dump
