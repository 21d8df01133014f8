// SPDX-License-Identifier: Apache-2.0
#include "runtime/stream/held_up.h"

namespace belay {

HeldUp& held_up() {
  static auto& held_up = *new HeldUp;
  return held_up;
}

HeldUp::Waiting::Waiting(const Stream* stream, const Stream* by) : stream_(by ? stream : nullptr) {
  if (!stream_) return;
  std::lock_guard lock(held_up().mutex_);
  held_up().by_[stream_] = by;
}

HeldUp::Waiting::~Waiting() {
  if (!stream_) return;
  std::lock_guard lock(held_up().mutex_);
  held_up().by_.erase(stream_);
}

bool HeldUp::behind(const void* stream, const void* by) const {
  std::lock_guard lock(mutex_);
  for (size_t steps = 0; steps <= by_.size(); ++steps) {
    if (stream == by) return true;
    const auto next = by_.find(stream);
    if (next == by_.end()) return false;
    stream = next->second;
  }
  return false;  // they wait for each other
}

}  // namespace belay
