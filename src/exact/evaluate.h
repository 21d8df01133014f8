// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "base/status.h"
#include "exact/tracked.h"
#include "graph/model/graph.h"

namespace belay::exact {

// An output of an operator in double precision, and how far a faithful computation in the model's types may be from it.
struct Output {
  Value value;
  // For each element the largest absolute error that the operator's types, the type it accumulates in and the length of
  // its sums permit when its inputs are exact (docs/precision-bounds.md derives it). 0 where nothing may be rounded.
  // Empty when `value` is not of floating-point numbers: then nothing may differ.
  std::vector<double> allowed;
};

// Computes one node of a model in double precision from these inputs: fused nodes member by member, nodes with
// subgraphs with all that is in them. Refuses, with the reason, what cannot be computed again from its inputs alone
// (random numbers, operators without an error model).
//
// The types that `allowed` is about are those of node.input_descs, and what the shape rules make of them: who checks
// tensors that were stored in other types changes the descriptions first.
Result<std::vector<Output>> evaluate(const graph::Model& model, const graph::Node& node, std::span<const Value> inputs);

// The same from inputs that may be off themselves, or are stored in types that the node does not tell.
Result<std::vector<Output>> evaluate(const graph::Model& model, const graph::Node& node,
                                     std::span<const Tracked> inputs);

// The values alone, for less than half of the cost; also of operators without an error model.
Result<std::vector<Value>> recompute(const graph::Model& model, const graph::Node& node, std::span<const Value> inputs);

}  // namespace belay::exact
