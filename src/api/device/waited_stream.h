// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/status.h"
#include "base/text.h"
#include "runtime/stream/stream.h"

namespace belay::api {

// For calls that need what their task gave: 107000 on a stream that nobody waits for, with what to do `instead`.
inline Status check_is_waited_for(const Stream& stream, const char* instead) {
  if (!stream.unwaited()) return {};
  return {
      ACL_ERROR_RT_PARAM_INVALID,
      formatted("stream {} is one that nobody waits for (persistent, scheduled by the CPU or for the device only); use "
                "another, or {}",
                stream.id(), instead)};
}

}  // namespace belay::api
