// SPDX-License-Identifier: Apache-2.0
#include "dump/config/op_range.h"

namespace belay::dump {

bool RangeState::next(std::string_view name) {
  switch (state_) {
    case State::Initial:
      if (name == range_.begin) {
        state_ = range_.begin == range_.end ? State::Stopped : State::Dumping;
        return true;
      }
      if (name == range_.end) state_ = State::Error;
      return false;
    case State::Dumping:
      if (name == range_.end) state_ = State::Stopped;
      return true;
    case State::Stopped:
      state_ = name == range_.begin ? State::Error : State::Initial;
      return false;
    case State::Error:
      return false;
  }
  return false;
}

}  // namespace belay::dump
