// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "base/status.h"

namespace belay::report {

// How many microseconds each operator took, by its name, as the mean of its runs: from what `belay run --trace` or
// BELAY_TIMELINE wrote. 100003 when the file cannot be read, 100006 when it is no such JSON.
Result<std::map<std::string, double>> read_times(const std::filesystem::path& trace);

}  // namespace belay::report
