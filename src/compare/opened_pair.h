// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "compare/side.h"

namespace belay::compare {

struct OpenedPair {
  std::shared_ptr<const ElementSource> ours, truth;
};

// Opens both. When their dimensions are in different orders (NHWC and NCHW), as they say or as their shapes show, one
// is read in the order of the other: ours, unless only the truth's order is told. A private format whose file does not
// tell the original shape is read as one of the other's shape. The errors of either `open`.
Result<OpenedPair> open_pair(const SideTensor& ours, const SideTensor& truth);

}  // namespace belay::compare
