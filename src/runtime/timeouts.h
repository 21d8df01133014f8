// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace belay {

// How long a stream waits for an event when the call gives no limit of its own, in seconds; 0: for ever.
// For the whole process (aclrtSetOpWaitTimeout).
uint32_t op_wait_timeout();
void set_op_wait_timeout(uint32_t seconds);

}  // namespace belay
