// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "graph/model/graph.h"

namespace belay::graph {

// What the slice operators are asked for, one entry per sliced dimension; bit i of a mask is about entry i. With axes,
// entry i is about dimension axes[i], else about dimension i.
struct SliceRequest {
  std::vector<int64_t> begin, end;
  std::vector<int64_t> strides;  // empty: all 1
  std::vector<int64_t> axes;     // empty: 0, 1, 2...
  int64_t begin_mask = 0, end_mask = 0, ellipsis_mask = 0, new_axis_mask = 0, shrink_axis_mask = 0;
};

// The masks that a node has as attributes, with nothing else filled in.
SliceRequest slice_masks(const Node& node);

// Which elements of a tensor a slice takes: of each dimension `count` of them from `begin` in steps of `step`.
struct SlicePlan {
  std::vector<int64_t> begin, step;
  Shape count;  // -1 where the dimension is not known
  Shape shape;  // of the result: count without the shrunk dimensions, with the new ones
};

// The error is a sentence without the operator's name, which the caller adds.
Result<SlicePlan> plan_slice(const Shape& x, const SliceRequest& request);

// Paddings as (before, after) of each dimension in turn. Not `contiguous` (PadV3's paddings_contiguous): they came as
// all befores, then all afters.
std::vector<int64_t> pad_pairs(bool contiguous, const std::vector<int64_t>& paddings, size_t rank);

}  // namespace belay::graph
