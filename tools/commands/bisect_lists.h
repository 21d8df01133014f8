// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "bisect/bisect.h"

namespace belay::tools {

// Writes what was found as the files that others take: keep_dtype.cfg and, when mixed precision passes with it,
// modify_mixlist.json for atc; compare_rules.json for belay compare, which gives the operators of the list, and the
// casts around them, the limits of the outputs: they are float32, but what they read is not. Makes the folder. The paths;
// throws std::runtime_error.
std::vector<std::string> write_bisect_lists(const bisect::Question& question, const bisect::Answer& answer,
                                            const std::string& folder);

}  // namespace belay::tools
