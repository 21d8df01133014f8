// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "exact/value.h"
#include "graph/infer/infer.h"
#include "graph/model/graph.h"

namespace belay::exact {

// Sums of products and what their roundings may add up to, in units of the type that the sums are kept in.
struct Sums {
  Value y;
  std::vector<double> units;  // by element; empty when they were not asked for
};

// How many roundings of one unit of the largest partial sum a sum of `terms` may be off by when `repeats` neighbours
// among them are equal: docs/precision-bounds.md.
double roundings(double terms, double repeats);

// Whether sum_products() may know a node of this type.
bool may_sum_products(const graph::Node& node);

// A product of matrices or a convolution, by blocks on all threads; nothing when the node is of another kind, or has
// values that are not finite: then a plain kernel must do.
Result<std::optional<Sums>> sum_matmul(const graph::Node& node, std::span<const Value> inputs,
                                       const graph::Shape& output, bool units);
Result<std::optional<Sums>> sum_convolution(const graph::Node& node, std::span<const Value> inputs,
                                            const graph::Shape& output, bool units);
Result<std::optional<Sums>> sum_products(const graph::Node& node, std::span<const Value> inputs,
                                         const graph::Shape& output, bool units);

}  // namespace belay::exact
