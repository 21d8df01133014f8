// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "compare/side.h"

namespace belay::compare {

// What one rank left: the tensors of a side that are in the folder of one device.
struct RankSide {
  std::string device;  // the folder's name; "" when the side has no such folders, and is one rank
  Side side;           // named after the folder
};

// The ranks of a side, by device. Where a device left several runs (folders named after the time), the last one counts;
// `notes` gets a sentence that says so. Tensors that are in no device's folder among some that are, are left out.
std::vector<RankSide> ranks_of(const Side& side, std::vector<std::string>& notes);

}  // namespace belay::compare
