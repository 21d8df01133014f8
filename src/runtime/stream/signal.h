// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>

#include "base/status.h"

namespace belay {

// How long a call may wait; nothing means for ever.
using Timeout = std::optional<std::chrono::milliseconds>;

// The `timeout` argument of synchronising calls: -1 for ever, else milliseconds > 0; anything else is 107000.
Result<Timeout> parse_timeout(int32_t milliseconds);

// Set once, from then on open for good. Any number of threads may wait.
class Signal {
 public:
  void set();
  bool is_set() const { return set_.load(std::memory_order_acquire); }

  // Waits until the signal is set (true), or until `stop` turns true or the time is over (false).
  bool wait(const std::atomic<bool>* stop = nullptr, Timeout timeout = std::nullopt);

  // Makes every waiter look at its `stop` again.
  void nudge();

 private:
  std::atomic<bool> set_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
};

}  // namespace belay
