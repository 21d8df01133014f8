// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "commands/pools.h"

namespace belay::tools {

struct MemoryOptions {
  bool shown = false;
  uint64_t limit = 0;          // 0: none
  std::string* log = nullptr;  // where the lines of the log are added; null: none
};

// The memory of a run: the stream's allocator is a pool of ours, counted, and limited and logged when asked. Lives as
// long as the stream.
class RunMemory {
 public:
  RunMemory(aclrtStream stream, const MemoryOptions& options);

  const CountingPool& counted() const { return *counted_; }
  nlohmann::json json() const;
  // One line for a person.
  std::string text() const;

 private:
  DevicePool device_;
  std::optional<LimitedPool> limited_;
  std::optional<LoggingPool> logged_;
  std::optional<CountingPool> counted_;
  std::optional<Registration> registration_;
};

// "12.5 MB".
std::string size_text(uint64_t bytes);

}  // namespace belay::tools
