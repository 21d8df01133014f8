// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "graph/model/graph.h"

namespace belay::replay {

// An input of an operator that is to run by itself.
struct Input {
  graph::Constant value;
  bool present = true;    // false: an optional input that is not connected
  bool constant = false;  // part of the model (a weight, a shape), else given when it runs
  std::string source;     // the operator or input of the source model that makes it; empty: not known
};

// One operator with what it ran on and what came out, taken out of its model. A fused one has its members along.
struct Operator {
  graph::Node node;                     // its edges mean nothing
  std::vector<graph::Graph> graphs;     // that the node refers to by name, and those refer to
  std::vector<Input> inputs;            // by port
  std::vector<graph::Constant> dumped;  // by output; with no bytes where nothing was dumped
  std::vector<std::string> sources;     // the operators of the source model that it stands for
};

// The operator as a model of its own: Data and Const nodes, the operator under its own name, NetOutput. Shapes are
// inferred from those of the inputs: an error when they do not go together.
Result<graph::Model> as_model(const Operator& op);
// The values of the Data nodes of that model, in their order.
std::vector<graph::Constant> given_inputs(const Operator& op);

}  // namespace belay::replay
