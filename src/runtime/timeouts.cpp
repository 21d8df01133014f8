// SPDX-License-Identifier: Apache-2.0
#include "runtime/timeouts.h"

#include <atomic>

namespace belay {
namespace {

std::atomic<uint32_t> g_op_wait_timeout{0};

}  // namespace

uint32_t op_wait_timeout() { return g_op_wait_timeout; }
void set_op_wait_timeout(uint32_t seconds) { g_op_wait_timeout = seconds; }

}  // namespace belay
