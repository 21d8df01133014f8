// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

namespace belay {

// For a loop that waits without giving up its core: the core does less meanwhile, for some ten nanoseconds.
inline void pause_core() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  std::atomic_signal_fence(std::memory_order_seq_cst);
#endif
}

}  // namespace belay
