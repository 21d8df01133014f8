// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "exact/evaluate.h"
#include "graph/model/graph.h"

namespace belay::blame {

// What one rank gave to a collective operator.
struct Contribution {
  const graph::Node* node = nullptr;
  std::vector<exact::Value> inputs;
  graph::DataType stored = graph::DataType::Undefined;  // of its elements in memory
};

// Elements of an output that have the same source.
struct Share {
  static constexpr int kAll = -1;
  int64_t at = 0, count = 0;
  int from = kAll;     // the rank of the group that gave them; kAll: they are reduced over the ranks
  int64_t offset = 0;  // of the first in what each of these gave
};

// Which input of its operator an output is made of.
size_t source_of_output(const graph::Node& node, size_t output);

// What each element of an output of a collective operator is made of, on rank `own` of its group. Of two ranks that
// exchange a message the sender is 0 and the receiver 1. Empty for an output that no rank gives anything to. The error
// says what the ranks do not agree on.
Result<std::vector<Share>> shares_of(std::span<const Contribution> ranks, size_t own, size_t output);

// The output that these shares make. `left`: what it holds where nobody gives anything; null: zeros. `skipped` counts
// for nothing, as if that rank had sent zeros, or had no part in a sum; kAll skips nobody.
Result<exact::Output> put_together(std::span<const Contribution> ranks, size_t own, size_t output,
                                   const exact::Value* left, int skipped = Share::kAll);

}  // namespace belay::blame
