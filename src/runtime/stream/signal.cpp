// SPDX-License-Identifier: Apache-2.0
#include "runtime/stream/signal.h"

#include "runtime/stream/spin.h"

namespace belay {

Result<Timeout> parse_timeout(int32_t milliseconds) {
  if (milliseconds == -1) return Timeout{};
  if (milliseconds > 0) return Timeout{std::chrono::milliseconds(milliseconds)};
  return Status{ACL_ERROR_RT_PARAM_INVALID,
                "timeout is " + std::to_string(milliseconds) +
                    "; it must be -1 (wait forever) or a number of milliseconds above 0",
                "EE1003"};
}

void Signal::set() {
  std::lock_guard lock(mutex_);
  set_.store(true, std::memory_order_release);
  changed_.notify_all();
}

void Signal::nudge() {
  std::lock_guard lock(mutex_);
  changed_.notify_all();
}

bool Signal::wait(const std::atomic<bool>* stop, Timeout timeout) {
  auto over = [&] { return is_set() || (stop && stop->load()); };
  if (spin_until(over)) return is_set();
  std::unique_lock lock(mutex_);
  if (timeout)
    changed_.wait_for(lock, *timeout, over);
  else
    changed_.wait(lock, over);
  return is_set();
}

}  // namespace belay
