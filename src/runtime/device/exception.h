// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "acl/acl_rt.h"
#include "base/status.h"

// What an exception callback is handed; programs see it only through the getters.
struct rtExceptionInfo {
  uint32_t task_id;
  uint32_t stream_id;
  uint32_t thread_id;
  uint32_t device_id;
  uint32_t error_code;
};

namespace belay {

using ExceptionCallback = aclrtExceptionInfoCallback;

// The one slot of aclrtSetExceptionInfoCallback: the last one set wins, null clears it.
void set_exception_callback(ExceptionCallback callback);
// The list of aclrtExceptionInfoCallbackRegister, independent of the slot. A function is in it once.
void add_exception_callback(ExceptionCallback callback);
void remove_exception_callback(ExceptionCallback callback);

// Called before the callbacks, so that they can read what it leaves (the exception dump).
// It may put other ids in their place: those of the operator that the task ran.
using ExceptionHook = std::function<void(rtExceptionInfo&, const Status&)>;
void set_exception_hook(ExceptionHook hook);

// A task failed: the hook, then every callback, on the calling thread.
void raise_exception(rtExceptionInfo info, const Status& status);

}  // namespace belay
