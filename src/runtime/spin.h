// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <thread>

namespace belay {

// How many threads spin at this moment, of all kinds, and how many may.
inline std::atomic<int> spinning{0};
inline const int most_spinning = static_cast<int>(std::thread::hardware_concurrency()) - 1;

// Waits a few microseconds for `ready()` without sleeping; false when it is time to sleep instead. Of all threads that
// would spin, only as many as there are spare cores do: the others go to sleep at once.
template <class Ready>
bool spin_until(Ready ready) {
  if (spinning.fetch_add(1, std::memory_order_relaxed) >= most_spinning) {
    spinning.fetch_sub(1, std::memory_order_relaxed);
    return ready();
  }
  bool seen = false;
  for (int turn = 0; turn < 400 && !(seen = ready()); ++turn) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }
  spinning.fetch_sub(1, std::memory_order_relaxed);
  return seen;
}

}  // namespace belay
