// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <vector>

#include "base/status.h"
#include "convert/convert.h"
#include "convert/passes/pass.h"
#include "convert/passes/switches.h"

namespace belay::convert {

// Runs the passes that are switched on over every graph of a model, and adds up what they did.
class Pipeline {
 public:
  explicit Pipeline(Switches switches) : switches_(std::move(switches)) {}

  Status run(std::span<const Pass> passes, graph::Model& model);
  const std::vector<PassCount>& counts() const { return counts_; }

 private:
  Status run(std::span<const Pass> passes, graph::Graph& graph);
  void count(const Pass& pass, const PassEffect& effect);

  const Switches switches_;
  std::vector<PassCount> counts_;
};

// Takes folded values into the graph, when wanted, and drops what leads to no output.
Status clean(graph::Graph& graph, const std::map<std::pair<int, int>, graph::Constant>* values);

}  // namespace belay::convert
