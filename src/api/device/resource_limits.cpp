// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/resource_limits.h"

#include "api/core/entry.h"
#include "runtime/device/current.h"
#include "runtime/device/device.h"

using namespace belay;
using namespace belay::api;

namespace {

Result<int> current_device() { return TRY(current_context())->device().id(); }

Result<int> checked_device(int32_t id) { return TRY(find_device(id))->id(); }

// The stream whose limits the thread uses, as long as it lives.
Result<uint32_t> thread_cores(aclrtDevResLimitType type) {
  if (const auto stream = stream_table().find(limiting_stream()))
    return stream_cores(stream->context()->device().id(), stream->handle(), type);
  return device_cores(TRY(current_device()), type);
}

}  // namespace

aclError aclrtGetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type, uint32_t* value) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(value, "value"));
        *value = TRY(device_cores(TRY(checked_device(deviceId)), type));
        return {};
      },
      deviceId, type, value);
}

aclError aclrtSetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type, uint32_t value) {
  return entry(
      __func__, [&]() -> Status { return limit_device_cores(TRY(checked_device(deviceId)), type, value); }, deviceId,
      type, value);
}

aclError aclrtResetDeviceResLimit(int32_t deviceId) {
  return entry(
      __func__,
      [&]() -> Status {
        unlimit_device_cores(TRY(checked_device(deviceId)));
        return {};
      },
      deviceId);
}

aclError aclrtGetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type, uint32_t* value) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(value, "value"));
        const auto found = TRY(find_any_stream(stream));
        *value = TRY(stream_cores(found->context()->device().id(), found->handle(), type));
        return {};
      },
      stream, type, value);
}

aclError aclrtSetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type, uint32_t value) {
  return entry(
      __func__, [&]() -> Status { return limit_stream_cores(TRY(find_any_stream(stream))->handle(), type, value); },
      stream, type, value);
}

aclError aclrtResetStreamResLimit(aclrtStream stream) {
  return entry(
      __func__,
      [&]() -> Status {
        unlimit_stream_cores(TRY(find_any_stream(stream))->handle());
        return {};
      },
      stream);
}

aclError aclrtUseStreamResInCurrentThread(aclrtStream stream) {
  return entry(
      __func__,
      [&]() -> Status {
        set_limiting_stream(TRY(find_any_stream(stream))->handle());
        return {};
      },
      stream);
}

aclError aclrtUnuseStreamResInCurrentThread(aclrtStream stream) {
  return entry(
      __func__,
      [&]() -> Status {
        if (TRY(find_any_stream(stream))->handle() == limiting_stream()) set_limiting_stream(nullptr);
        return {};
      },
      stream);
}

aclError aclrtGetResInCurrentThread(aclrtDevResLimitType type, uint32_t* value) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(value, "value"));
        *value = TRY(thread_cores(type));
        return {};
      },
      type, value);
}

aclError aclrtDeviceSetLimit(aclrtDeviceLimit limit, size_t value) {
  return entry(
      __func__, [&]() -> Status { return set_device_limit(TRY(current_device()), limit, value); }, limit, value);
}

aclError aclrtDeviceGetLimit(aclrtDeviceLimit limit, size_t* value) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(value, "value"));
        *value = TRY(device_limit(TRY(current_device()), limit));
        return {};
      },
      limit, value);
}

aclError aclrtDeviceL2CacheFlush(void* rsv) {
  return entry(
      __func__,
      [&]() -> Status {
        if (rsv) return {ACL_ERROR_INVALID_PARAM, "rsv is reserved and must be null"};
        // The memory of a simulated device is coherent: there is nothing to write back.
        TRY(current_context());
        return {};
      },
      rsv);
}
