// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "compare/side.h"

namespace belay::compare {

struct OpenedPair {
  std::shared_ptr<const ElementSource> ours, truth;
};

// Opens both. When their dimensions are in different orders (NHWC and NCHW), as they say or as their shapes show, ours
// is read in the order of the truth. The errors of either `open`, with the side's file.
Result<OpenedPair> open_pair(const SideTensor& ours, const SideTensor& truth);

}  // namespace belay::compare
