// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <thread>

namespace belay {

// How many of the next waits, of any thread, go to sleep at once because somebody else wants the cores.
inline std::atomic<int> crowded_waits{0};

// Waits some microseconds for `ready()` without sleeping; false when it is time to sleep instead. Each turn offers the
// core to whoever needs it, often the very thread that is waited for: two threads that hand work to each other do so on
// one core as well as on two. A turn that comes back late tells that the machine is busy with other things.
template <class Ready>
bool spin_until(Ready ready, std::chrono::microseconds longest = std::chrono::microseconds(20)) {
  using namespace std::chrono_literals;
  using Clock = std::chrono::steady_clock;
  constexpr auto kLateTurn = 200us;
  constexpr int kWaitsAfterALateTurn = 100;

  if (ready()) return true;
  if (const int left = crowded_waits.load(std::memory_order_relaxed); left > 0) {
    crowded_waits.store(left - 1, std::memory_order_relaxed);
    return false;
  }
  const auto start = Clock::now();
  for (auto turn = start;;) {
    std::this_thread::yield();
    if (ready()) return true;
    const auto now = Clock::now();
    if (now - turn > kLateTurn) crowded_waits.store(kWaitsAfterALateTurn, std::memory_order_relaxed);
    if (now - start > longest || now - turn > kLateTurn) return false;
    turn = now;
  }
}

}  // namespace belay
