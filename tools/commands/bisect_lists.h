// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "bisect/bisect.h"

namespace belay::tools {

// Writes what was found as the files that atc takes: keep_dtype.cfg, and modify_mixlist.json when mixed precision
// passes with it. Makes the folder. The paths; throws std::runtime_error.
std::vector<std::string> write_bisect_lists(const bisect::Answer& answer, const std::string& folder);

}  // namespace belay::tools
