// SPDX-License-Identifier: Apache-2.0
// Saturation mode and the overflow flag of a device.
#include "acl/acl_rt.h"
#include "api/core/entry.h"
#include "base/device_memory.h"
#include "runtime/device/current.h"
#include "runtime/device/device.h"

using namespace belay;
using namespace belay::api;

namespace {

constexpr size_t kStatusBytes = 64;

Status write_status(void* address, uint64_t size, aclrtStream stream) {
  TRY(not_null(address, "outputAddr"));
  if (size != kStatusBytes)
    return {ACL_ERROR_RT_PARAM_INVALID, "outputSize is " + std::to_string(size) + "; it must be 64", "EE1003"};
  auto target = TRY(find_stream(stream));
  return target->launch([address, context = target->context()] {
    fill_memory(address, 0, kStatusBytes);
    if (context->device().overflowed) write_memory(address, uint32_t{1});
  });
}

Status clear_status(aclrtStream stream) {
  auto target = TRY(find_stream(stream));
  return target->launch([context = target->context()] { context->device().overflowed = false; });
}

Status check_mode(uint32_t mode) {
  if (mode == 0) return {};
  return {ACL_ERROR_RT_PARAM_INVALID, "checkMode must be 0", "EE1003"};
}

}  // namespace

aclError aclrtSetDeviceSatMode(aclrtFloatOverflowMode mode) {
  return entry(
      __func__,
      [&]() -> Status {
        if (mode != ACL_RT_OVERFLOW_MODE_SATURATION && mode != ACL_RT_OVERFLOW_MODE_INFNAN)
          return {ACL_ERROR_RT_PARAM_INVALID, "mode must be ACL_RT_OVERFLOW_MODE_SATURATION or ..._INFNAN", "EE1003"};
        TRY(current_context())->device().saturation_mode = mode;
        return {};
      },
      mode);
}

aclError aclrtGetDeviceSatMode(aclrtFloatOverflowMode* mode) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(mode, "mode"));
        *mode = static_cast<aclrtFloatOverflowMode>(TRY(current_context())->device().saturation_mode.load());
        return {};
      },
      mode);
}

aclError aclrtGetOverflowStatus(void* outputAddr, size_t outputSize, aclrtStream stream) {
  return entry(
      __func__, [&] { return write_status(outputAddr, outputSize, stream); }, outputAddr, outputSize, stream);
}

aclError aclrtResetOverflowStatus(aclrtStream stream) {
  return entry(
      __func__, [&] { return clear_status(stream); }, stream);
}

aclError aclrtGetFloatOverflowStatus(void* outputAddr, uint64_t outputSize, aclrtStream stream) {
  return entry(
      __func__, [&] { return write_status(outputAddr, outputSize, stream); }, outputAddr, outputSize, stream);
}

aclError aclrtResetFloatOverflowStatus(aclrtStream stream) {
  return entry(
      __func__, [&] { return clear_status(stream); }, stream);
}

aclError aclrtNpuGetFloatOverFlowStatus(void* outputAddr, uint64_t outputSize, uint32_t checkMode, aclrtStream stream) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(check_mode(checkMode));
        return write_status(outputAddr, outputSize, stream);
      },
      outputAddr, outputSize, checkMode, stream);
}

aclError aclrtNpuClearFloatOverFlowStatus(uint32_t checkMode, aclrtStream stream) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(check_mode(checkMode));
        return clear_status(stream);
      },
      checkMode, stream);
}
