// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "exact/models/model.h"
#include "exact/tracked.h"
#include "executor/graph_walk.h"
#include "graph/model/graph.h"

namespace belay::exact {

// Computes nodes with all that they are made of.
class Walk {
 public:
  // `bounds`: what is permitted is worked out as well; an operator for which that is not known is refused.
  Walk(const graph::Model& model, bool bounds) : model_(model), bounds_(bounds) {}

  Result<std::vector<Tracked>> run(const graph::Node& node, std::span<const Tracked> inputs) const;

 private:
  using Outputs = Result<std::vector<Tracked>>;

  Outputs run_operator(const graph::Node& node, std::span<const Tracked> inputs) const;
  // Nothing when the operator is no sum of products that is computed by blocks.
  Result<std::optional<Tracked>> run_products(const Operation& operation, std::span<const Value> values,
                                              std::span<const graph::DataType> stored) const;
  Outputs run_graph(const graph::Graph& graph, executor::GraphRole role, std::span<const Tracked> inputs) const;
  Outputs run_choice(const graph::Node& node, std::span<const Tracked> inputs) const;
  Outputs run_loop(const graph::Node& node, std::span<const Tracked> inputs) const;

  const graph::Model& model_;
  const bool bounds_;
};

}  // namespace belay::exact
