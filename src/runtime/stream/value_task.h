// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/status.h"

namespace belay {

class Stream;

// How a 64-bit word in memory is compared with a value (the numbers are ACL_STREAM_WAIT_VALUE_*).
enum class ValueCondition : uint32_t { GreaterOrEqual = 0, Equal = 1, And = 2, Nor = 3 };
bool holds(ValueCondition condition, uint64_t word, uint64_t value);

// Queues a task that writes the word. `address` is a multiple of 8.
Status launch_value_write(Stream& stream, uint64_t* address, uint64_t value);
// Queues a task that looks at the word until the condition holds: anyone may change it, another process too.
Status launch_value_wait(Stream& stream, const uint64_t* address, uint64_t value, ValueCondition condition);

}  // namespace belay
