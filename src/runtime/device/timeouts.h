// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace belay {

// Time limits of the whole process. Safe from any thread.

// Seconds that a stream waits for an event when the call gives no limit of its own; 0: for ever.
uint32_t op_wait_timeout();
void set_op_wait_timeout(uint32_t seconds);

// Microseconds that one operator may take; 0: for ever.
constexpr uint64_t op_execute_interval = 1000;  // what limits are rounded up to
uint64_t op_execute_timeout();
// Returns the limit that holds from now on.
uint64_t set_op_execute_timeout(uint64_t microseconds);

}  // namespace belay
