// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compare/side.h"

namespace belay::compare {

// Adds the arrays of a file to a side, or of all array files beneath a folder. Names are read as msaccucmp and belay
// convert write them ("conv1.0.1700000000123456", "<dump file>.output.0"); others are names of tensors or operators.
// Files that cannot be read become problems.
void add_arrays(const std::filesystem::path& path, Side& side);

}  // namespace belay::compare
