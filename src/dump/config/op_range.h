// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "dump/config/config.h"

namespace belay::dump {

// One opname_range on its way through the operators in the order of their execution.
class RangeState {
 public:
  explicit RangeState(const OpRange& range) : range_(range) {}

  // Whether the next operator is inside. `end` before `begin`, or `begin` directly behind `end`, ends the range for
  // good.
  bool next(std::string_view name);

 private:
  enum class State : uint8_t { Initial, Dumping, Stopped, Error };
  const OpRange& range_;
  State state_ = State::Initial;
};

}  // namespace belay::dump
