// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "blame/executions.h"
#include "graph/model/graph.h"

namespace belay::report {

// A box of the drawing: an operator of the model, or one that only a dump knows.
struct Operator {
  std::string name, type;
  std::vector<std::string> sources;  // nodes of the source model; empty: not told
};

// Output `output` of one operator is read as input `input` of another; both are places in Network::operators.
struct Link {
  size_t from = 0, to = 0;
  size_t output = 0, input = 0;
};

// What is drawn. Operators are in an order in which they can run.
struct Network {
  std::vector<Operator> operators;
  std::vector<Link> links;
  // Nothing tells who reads what: the links are the order in which the operators ran.
  bool sequence = false;
  std::map<std::string, size_t> places;  // of operators, by name as records have it

  // -1: there is none of that name.
  int64_t find(const std::string& name) const;
  // The place of an operator, which is added when it is not there.
  size_t add(const std::string& name, const std::string& type, std::vector<std::string> sources = {});
  // When nothing tells who reads what, each operator is linked to the next; once all operators are there.
  void link_in_order();
};

// The operators of the model, and behind them what the executions have besides; records find theirs by the names before
// and after fusion. Without a model (null): the executions' operators, linked by the addresses of their tensors.
Network network_of(const graph::Model* model, const std::vector<blame::Execution>& executions);

}  // namespace belay::report
