// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "blame/ranks/ranks.h"
#include "blame/report.h"

namespace belay::tools {

// How a report is printed.
struct BlameView {
  std::filesystem::path dump, model;  // as the user gave them
  bool all = false;                   // every operator, not only those with something to tell
  bool other_side = false;            // there was one
  size_t unread = 0;                  // files that could not be read
};

// What is told of a guilty operator, below the line that names it.
void print_guilt(const blame::Report& report, const blame::OperatorReport& op, const BlameView& view);
void print_changed(const blame::Changed& changed);
// "MatMulV2 fc, made of fc and bias".
std::string name_of(const blame::OperatorReport& op);
void print_blame(const blame::Report& report, const BlameView& view);
std::string blame_json(const blame::Report& report, const BlameView& view, const std::vector<std::string>& problems);
// The same of all ranks, each with how it is printed.
std::string ranks_json(const blame::RanksReport& report, const std::vector<BlameView>& views,
                       const std::vector<std::string>& problems);
// One line per output: docs/blame.md has the columns.
std::string blame_csv(const blame::Report& report);

}  // namespace belay::tools
