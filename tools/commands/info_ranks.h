// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

namespace belay::tools {

// What ranks find on this machine: whether those in other processes can be reached, and how; where they meet; which
// variables of HCCL are set, and what is wrong with them.
nlohmann::json describe_ranks();
void print_ranks(const nlohmann::json& ranks);

}  // namespace belay::tools
