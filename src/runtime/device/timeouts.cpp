// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/timeouts.h"

#include <algorithm>
#include <atomic>

namespace belay {
namespace {

// Answers are in 32-bit milliseconds too.
constexpr uint64_t longest = uint64_t{UINT32_MAX} * op_execute_interval;

std::atomic<uint32_t> wait_seconds = 0;
std::atomic<uint64_t> execute_microseconds = 0;

}  // namespace

uint32_t op_wait_timeout() { return wait_seconds.load(std::memory_order_relaxed); }
void set_op_wait_timeout(uint32_t seconds) { wait_seconds.store(seconds, std::memory_order_relaxed); }

uint64_t op_execute_timeout() { return execute_microseconds.load(std::memory_order_relaxed); }

uint64_t set_op_execute_timeout(uint64_t microseconds) {
  const uint64_t bounded = std::min(microseconds, longest);
  const uint64_t rounded = (bounded + op_execute_interval - 1) / op_execute_interval * op_execute_interval;
  execute_microseconds.store(rounded, std::memory_order_relaxed);
  return rounded;
}

}  // namespace belay
