// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/status.h"
#include "graph/model/graph.h"

namespace belay::graph {

// What a Resize is asked for. All have an entry for each of the axes, roi all begins and then all ends. Where there are
// sizes, scales that are given and not 0 replace the ratio of the sizes.
struct ResizeRequest {
  std::vector<double> roi, scales;
  std::vector<int64_t> sizes;
};

// How one dimension is resized.
struct ResizeAxis {
  int64_t from = 1, to = 1;
  double scale = 1;
  double length = 1;  // scale * from: not always a whole number
  double roi_begin = 0, roi_end = 1;
};

// One for each dimension of x, by the node's attributes axes, keep_aspect_ratio_policy and
// coordinate_transformation_mode. A `from` of -1 gives a `to` of -1 when there are scales. The error is a sentence
// without the operator's name.
Result<std::vector<ResizeAxis>> plan_resize(const Node& node, const Shape& x, const ResizeRequest& request);

// Whether dimension 1 holds the channels of a node's input, which is of rank 3 to 5: all but formats that end in C.
bool channels_first(const Node& node);

}  // namespace belay::graph
