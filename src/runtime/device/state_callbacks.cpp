// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/state_callbacks.h"

namespace belay {

StateCallbacks<aclrtStreamStateCallback>& stream_state_callbacks() {
  static auto& callbacks = *new StateCallbacks<aclrtStreamStateCallback>;
  return callbacks;
}

StateCallbacks<aclrtDeviceStateCallback>& device_state_callbacks() {
  static auto& callbacks = *new StateCallbacks<aclrtDeviceStateCallback>;
  return callbacks;
}

StateCallbacks<aclrtDeviceTaskAbortCallback>& task_abort_callbacks() {
  static auto& callbacks = *new StateCallbacks<aclrtDeviceTaskAbortCallback>;
  return callbacks;
}

}  // namespace belay
