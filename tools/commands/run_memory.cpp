// SPDX-License-Identifier: Apache-2.0
#include "commands/run_memory.h"

#include <stdexcept>

namespace belay::tools {

RunMemory::RunMemory(aclrtStream stream, const MemoryOptions& options) {
  Pool* pool = &device_;
  if (options.limit > 0) pool = &limited_.emplace(*pool, options.limit);
  if (options.log) pool = &logged_.emplace(*pool, *options.log);
  pool = &counted_.emplace(*pool);
  registration_.emplace(stream, *pool);
  if (registration_->code != ACL_SUCCESS) throw std::runtime_error("aclrtAllocatorRegister failed");
}

nlohmann::json RunMemory::json() const {
  return {{"blocks", counted_->blocks},
          {"returned", counted_->returned},
          {"refused", counted_->refused},
          {"most_bytes", counted_->most_bytes},
          {"largest_block", counted_->largest}};
}

std::string RunMemory::text() const {
  if (counted_->blocks == 0)
    return "the stream's allocator was not asked: a model whose shapes are fixed has its memory since it was loaded";
  return std::to_string(counted_->blocks) + " blocks from the stream's allocator, " + size_text(counted_->most_bytes) +
         " at most at once, the largest " + size_text(counted_->largest) + "; " + std::to_string(counted_->returned) +
         " given back";
}

std::string size_text(uint64_t bytes) {
  char text[32];
  if (bytes < 1000)
    std::snprintf(text, sizeof text, "%llu bytes", static_cast<unsigned long long>(bytes));
  else if (bytes < 1000 * 1000)
    std::snprintf(text, sizeof text, "%.1f kB", static_cast<double>(bytes) / 1e3);
  else
    std::snprintf(text, sizeof text, "%.1f MB", static_cast<double>(bytes) / 1e6);
  return text;
}

}  // namespace belay::tools
