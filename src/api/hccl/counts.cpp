// SPDX-License-Identifier: Apache-2.0
#include "api/hccl/counts.h"

#include <algorithm>
#include <cstring>

#include "api/hccl/checks.h"
#include "base/text.h"

namespace belay::api {

Result<std::vector<uint64_t>> read_counts(const void* counts, size_t number, const char* parameter) {
  std::vector<uint64_t> read(number);
  std::memcpy(read.data(), counts, number * sizeof(uint64_t));
  for (size_t i = 0; i < number; ++i) TRY(check_count(read[i], formatted("{}[{}]", parameter, i).c_str()));
  return read;
}

Result<std::vector<comm::Part>> read_parts(const void* counts, const void* displacements, uint32_t size,
                                           const char* parameter) {
  const auto read = TRY(read_counts(counts, size, parameter));
  std::vector<comm::Part> parts(size);
  for (uint32_t i = 0; i < size; ++i) {
    parts[i].count = read[i];
    std::memcpy(&parts[i].offset, static_cast<const uint64_t*>(displacements) + i, sizeof(uint64_t));
    if (parts[i].count) TRY(check_count(parts[i].offset, formatted("displacement {} of {}", i, parameter).c_str()));
  }
  return parts;
}

uint64_t elements_in(const std::vector<comm::Part>& parts) {
  uint64_t end = 0;
  for (const comm::Part& part : parts)
    if (part.count) end = std::max(end, part.offset + part.count);
  return end;
}

}  // namespace belay::api
