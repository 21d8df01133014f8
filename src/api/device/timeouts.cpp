// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/timeouts.h"

#include "acl/acl_rt.h"
#include "api/core/entry.h"

using namespace belay;
using namespace belay::api;

aclError aclrtSetOpWaitTimeout(uint32_t timeout) {
  return entry(
      __func__,
      [&]() -> Status {
        set_op_wait_timeout(timeout);
        return {};
      },
      timeout);
}

aclError aclrtSetOpExecuteTimeOut(uint32_t timeout) {
  return entry(
      __func__,
      [&]() -> Status {
        set_op_execute_timeout(uint64_t{timeout} * 1000000);
        return {};
      },
      timeout);
}

aclError aclrtSetOpExecuteTimeOutWithMs(uint32_t timeout) {
  return entry(
      __func__,
      [&]() -> Status {
        set_op_execute_timeout(uint64_t{timeout} * 1000);
        return {};
      },
      timeout);
}

aclError aclrtSetOpExecuteTimeOutV2(uint64_t timeout, uint64_t* actualTimeout) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(actualTimeout, "actualTimeout"));
        *actualTimeout = set_op_execute_timeout(timeout);
        return {};
      },
      timeout, actualTimeout);
}

aclError aclrtGetOpTimeOutInterval(uint64_t* interval) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(interval, "interval"));
        *interval = op_execute_interval;
        return {};
      },
      interval);
}

aclError aclrtGetOpExecuteTimeout(uint32_t* const timeoutMs) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(timeoutMs, "timeoutMs"));
        *timeoutMs = static_cast<uint32_t>(op_execute_timeout() / 1000);
        return {};
      },
      timeoutMs);
}
