// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace belay::tools {

// The dumps of all ranks, examined together.
struct BlameRanksOptions {
  std::vector<std::filesystem::path> dumps, models;  // one model for all ranks, or one for each
  std::optional<int64_t> step;
  bool json = false, all = false;
};

int blame_ranks(const BlameRanksOptions& options);

}  // namespace belay::tools
