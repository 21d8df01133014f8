// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "comm/call.h"

namespace belay::api {

// The program's array of counts, copied. E_PARA for one above the limit.
Result<std::vector<uint64_t>> read_counts(const void* counts, size_t number, const char* parameter);
// Counts and displacements, by rank.
Result<std::vector<comm::Part>> read_parts(const void* counts, const void* displacements, uint32_t size,
                                           const char* parameter);
// Up to where the last of the parts reaches; parts without elements reach nowhere.
uint64_t elements_in(const std::vector<comm::Part>& parts);

}  // namespace belay::api
