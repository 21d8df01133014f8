// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "graph/model/attribute.h"

namespace belay {

// The tensors in STEM_0, STEM_1...: a line with the AscendCL number of the type and the dimensions, then the elements.
Result<std::vector<graph::Constant>> read_tensors(const std::string& stem);

}  // namespace belay
