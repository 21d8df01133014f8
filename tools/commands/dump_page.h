// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "inspect/dump_tree.h"
#include "report/question.h"

namespace belay::tools {

// Looks at everything and writes the page, with a bar on the terminal. Throws std::runtime_error with the sentence.
void write_page(report::Question question, const std::filesystem::path& out);

// The page of dump files alone (--html of belay show and belay overflow): of those beneath `dumps` that are wanted.
void write_dump_page(const std::vector<std::filesystem::path>& dumps,
                     const std::function<bool(const inspect::FoundDump&)>& wanted,
                     const inspect::OverflowReport* overflow, const std::filesystem::path& out);

}  // namespace belay::tools
