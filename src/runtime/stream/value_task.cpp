// SPDX-License-Identifier: Apache-2.0
#include "runtime/stream/value_task.h"

#include <atomic>
#include <chrono>
#include <thread>

#include "runtime/stream/spin.h"
#include "runtime/stream/stream.h"
#include "runtime/stream/write_gate.h"

namespace belay {
namespace {

using std::chrono::microseconds;

constexpr microseconds kShortestNap{1};
constexpr microseconds kLongestNap{100};

}  // namespace

bool holds(ValueCondition condition, uint64_t word, uint64_t value) {
  switch (condition) {
    case ValueCondition::GreaterOrEqual:
      return static_cast<int64_t>(word - value) >= 0;
    case ValueCondition::Equal:
      return word == value;
    case ValueCondition::And:
      return (word & value) != 0;
    case ValueCondition::Nor:
      return ~(word | value) != 0;
  }
  return false;
}

Status launch_value_write(Stream& stream, uint64_t* address, uint64_t value) {
  return stream.launch([=] { std::atomic_ref(*address).store(value, std::memory_order_release); });
}

Status launch_value_wait(Stream& stream, const uint64_t* address, uint64_t value, ValueCondition condition) {
  return stream.launch([=, &stream] {
    write_gate().step_out();
    const std::atomic_ref word(*const_cast<uint64_t*>(address));
    const auto over = [&] {
      return holds(condition, word.load(std::memory_order_acquire), value) || stream.interrupted();
    };
    if (spin_until(over)) return;
    for (microseconds nap = kShortestNap; !over(); nap = std::min(nap * 2, kLongestNap))
      std::this_thread::sleep_for(nap);
  });
}

}  // namespace belay
