// SPDX-License-Identifier: Apache-2.0
// Setting, resetting and synchronising devices; access between them. What they are is in device_info.cpp.
#include "runtime/device/device.h"

#include "acl/acl_rt.h"
#include "api/core/entry.h"
#include "dump/exceptions/exception.h"
#include "runtime/device/current.h"
#include "runtime/device/state_callbacks.h"

using namespace belay;
using namespace belay::api;

aclError aclrtSetDevice(int32_t deviceId) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(TRY(find_device(deviceId))->set());
        dump::exceptions().device_set(deviceId);
        return {};
      },
      deviceId);
}

aclError aclrtResetDevice(int32_t deviceId) {
  return entry(
      __func__, [&]() -> Status { return TRY(find_device(deviceId))->reset(false); }, deviceId);
}

aclError aclrtResetDeviceForce(int32_t deviceId) {
  return entry(
      __func__, [&]() -> Status { return TRY(find_device(deviceId))->reset(true); }, deviceId);
}

aclError aclrtGetDevice(int32_t* deviceId) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(deviceId, "deviceId"));
        if (const auto context = peek_current_context()) {
          *deviceId = context->device().id();
          return {};
        }
        if (default_device() < 0) {
          Status none = current_context().status();
          none.unrecorded = true;  // asking is no mistake: the last error stays what it was
          return none;
        }
        *deviceId = default_device();
        return {};
      },
      deviceId);
}

aclError aclrtGetRunMode(aclrtRunMode* runMode) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(runMode, "runMode"));
        *runMode = ACL_HOST;
        return {};
      },
      runMode);
}

aclError aclrtSetTsDevice(aclrtTsId tsId) {
  return entry(
      __func__,
      [&]() -> Status {
        if (tsId != ACL_TS_ID_AICORE && tsId != ACL_TS_ID_AIVECTOR)
          return {ACL_ERROR_INVALID_PARAM, "tsId must be ACL_TS_ID_AICORE or ACL_TS_ID_AIVECTOR", "EH0007"};
        return {};  // both schedulers are the same here
      },
      tsId);
}

aclError aclrtSynchronizeDevice() {
  return entry(__func__, [&]() -> Status { return TRY(current_context())->synchronize(std::nullopt); });
}

aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout) {
  return entry(
      __func__,
      [&]() -> Status {
        const Timeout limit = TRY(parse_timeout(timeout));
        return TRY(current_context())->synchronize(limit);
      },
      timeout);
}

aclError aclrtDeviceTaskAbort(int32_t deviceId, uint32_t timeout) {
  return entry(
      __func__,
      [&]() -> Status {
        Device* device = TRY(find_device(deviceId));
        task_abort_callbacks().notify(deviceId, ACL_RT_DEVICE_TASK_ABORT_PRE, timeout);
        for (const auto& context : device->contexts())
          for (const auto& stream : context->streams()) stream->abort(ACL_ERROR_RT_DEVICE_TASK_ABORT);
        task_abort_callbacks().notify(deviceId, ACL_RT_DEVICE_TASK_ABORT_POST, timeout);
        return {};
      },
      deviceId, timeout);
}

namespace {

Status check_peer(Device* own, int32_t peer) {
  (void)TRY(find_device(peer));
  if (own->id() == peer)
    return {ACL_ERROR_INVALID_PARAM, "peerDeviceId is the current device itself; name another one", "EH0009"};
  return {};
}

}  // namespace

aclError aclrtDeviceCanAccessPeer(int32_t* canAccessPeer, int32_t deviceId, int32_t peerDeviceId) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(canAccessPeer, "canAccessPeer"));
        TRY(check_peer(TRY(find_device(deviceId)), peerDeviceId));
        *canAccessPeer = 1;
        return {};
      },
      canAccessPeer, deviceId, peerDeviceId);
}

aclError aclrtDeviceEnablePeerAccess(int32_t peerDeviceId, uint32_t flags) {
  return entry(
      __func__,
      [&]() -> Status {
        if (flags != 0) return {ACL_ERROR_FEATURE_UNSUPPORTED, "flags is reserved and must be 0", "EH0006"};
        Device& own = TRY(current_context())->device();
        TRY(check_peer(&own, peerDeviceId));
        own.set_peer(peerDeviceId, true);
        return {};
      },
      peerDeviceId, flags);
}

aclError aclrtDeviceDisablePeerAccess(int32_t peerDeviceId) {
  return entry(
      __func__,
      [&]() -> Status {
        Device& own = TRY(current_context())->device();
        TRY(check_peer(&own, peerDeviceId));
        own.set_peer(peerDeviceId, false);
        return {};
      },
      peerDeviceId);
}

aclError aclrtDevicePeerAccessStatus(int32_t deviceId, int32_t peerDeviceId, int32_t* status) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(status, "status"));
        Device* own = TRY(find_device(deviceId));
        TRY(check_peer(own, peerDeviceId));
        *status = own->peer_enabled(peerDeviceId) ? 1 : 0;
        return {};
      },
      deviceId, peerDeviceId, status);
}
