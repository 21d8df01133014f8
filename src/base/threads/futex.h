// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <ctime>

// Sleeping on a word of this process's memory. May be used in signal handlers.
namespace belay {

// Until somebody wakes; returns at once when the word is not `seen` any more. May return for no reason.
inline void futex_wait(std::atomic<uint32_t>& word, uint32_t seen) {
  (void)syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, seen, nullptr, nullptr, 0);
}

// The same, for so long at the most.
inline void futex_wait(std::atomic<uint32_t>& word, uint32_t seen, std::chrono::milliseconds most) {
  const timespec time{.tv_sec = most.count() / 1000, .tv_nsec = most.count() % 1000 * 1'000'000};
  (void)syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, seen, &time, nullptr, 0);
}

inline void futex_wake(std::atomic<uint32_t>& word, int threads) {
  (void)syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, threads, nullptr, nullptr, 0);
}

}  // namespace belay
