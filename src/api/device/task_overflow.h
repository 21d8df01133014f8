// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "executor/overflow_guard.h"
#include "runtime/device/context.h"
#include "runtime/device/device.h"
#include "runtime/stream/stream.h"

namespace belay::api {

// What one task does about results that do not fit their type: by its stream's mode and switch when it was launched.
// Without saturation mode and with the switch off nothing is looked at.
class TaskOverflow {
 public:
  explicit TaskOverflow(const Stream& stream) : TaskOverflow(stream, stream.saturates()) {}
  TaskOverflow(const Stream& stream, bool saturates)
      : device_(&stream.context()->device()), reports_(stream.overflow_switch != 0) {
    if (saturates || reports_) guard_.emplace(saturates);
  }

  // For the run; null when nothing is to be looked at.
  executor::OverflowGuard* guard() { return guard_ ? &*guard_ : nullptr; }

  // After the run: sets the device's flag, and with the switch on makes an overflow what synchronize tells (207003).
  // The results are there all the same.
  Status settle() const {
    if (!guard_ || !guard_->overflowed()) return {};
    device_->overflowed = true;
    if (!reports_) return {};
    return {ACL_ERROR_RT_AICORE_OVER_FLOW,
            "a result did not fit its type; dump_debug \"on\" names the operator, aclrtSetStreamOverflowSwitch(stream, "
            "0) ends this report"};
  }

 private:
  Device* device_;
  bool reports_;
  std::optional<executor::OverflowGuard> guard_;
};

}  // namespace belay::api
