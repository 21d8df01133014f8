// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "blame/report.h"
#include "compare/rows.h"
#include "compare/side.h"
#include "graph/model/graph.h"
#include "inspect/dump_tree.h"
#include "inspect/overflow_report.h"

namespace belay::report {

// What a page is to show. Borrows all; null: there is none.
struct Question {
  const compare::Side* ours = nullptr;
  const compare::Comparison* comparison = nullptr;  // of ours with another side
  const graph::Model* model = nullptr;              // that ours came from
  const blame::Report* blame = nullptr;             // of ours
  std::string not_judged;  // why there is no blame although somebody asked for it; "" nobody did
  const inspect::OverflowReport* overflow = nullptr;  // of ours
  std::vector<inspect::FoundDump> statistics;         // files of ours that hold statistics alone
  std::map<std::string, double> times;                // microseconds that operators took, by name
  std::optional<int64_t> step;                        // whose tensors are shown in detail; none: where it matters
  std::filesystem::path dump, model_path;             // for the commands that the page tells
  std::function<void(size_t)> plans;                  // told how many tensors will be looked at
  std::function<void()> advances;                     // after each of them, by one thread at a time
};

}  // namespace belay::report
