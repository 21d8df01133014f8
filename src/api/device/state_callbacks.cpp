// SPDX-License-Identifier: Apache-2.0
// Callbacks that hear of streams and devices coming and going.
#include "runtime/device/state_callbacks.h"

#include "acl/acl_rt.h"
#include "api/core/entry.h"

using namespace belay;
using namespace belay::api;

aclError aclrtRegStreamStateCallback(const char* regName, aclrtStreamStateCallback callback, void* args) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(regName, "regName"));
        return stream_state_callbacks().set(regName, callback, args);
      },
      regName, callback, args);
}

aclError aclrtRegDeviceStateCallback(const char* regName, aclrtDeviceStateCallback callback, void* args) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(regName, "regName"));
        return device_state_callbacks().set(regName, callback, args);
      },
      regName, callback, args);
}

aclError aclrtSetDeviceTaskAbortCallback(const char* regName, aclrtDeviceTaskAbortCallback callback, void* args) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(regName, "regName"));
        return task_abort_callbacks().set(regName, callback, args);
      },
      regName, callback, args);
}
