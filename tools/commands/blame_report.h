// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "blame/report.h"

namespace belay::tools {

// How a report is printed.
struct BlameView {
  std::filesystem::path dump, model;  // as the user gave them
  bool all = false;                   // every operator, not only those with something to tell
  bool other_side = false;            // there was one
  size_t unread = 0;                  // files that could not be read
};

void print_blame(const blame::Report& report, const BlameView& view);
std::string blame_json(const blame::Report& report, const BlameView& view, const std::vector<std::string>& problems);
// One line per output: docs/blame.md has the columns.
std::string blame_csv(const blame::Report& report);

}  // namespace belay::tools
