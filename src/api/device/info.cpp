// SPDX-License-Identifier: Apache-2.0
// What a device is and can do. Setting and resetting devices is in device.cpp, their numbers in device_ids.cpp.
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "acl/acl_rt.h"
#include "api/core/entry.h"
#include "base/text.h"
#include "runtime/device/attributes.h"
#include "runtime/device/devices.h"
#include "runtime/device/soc.h"

using namespace belay;
using namespace belay::api;

namespace {

// This call answers 107000 where others answer 107001.
Result<int> device_for_attribute(uint32_t id) {
  auto device = physical_device(static_cast<int>(std::min<uint32_t>(id, INT32_MAX)));
  if (device.ok()) return device;
  return Status{ACL_ERROR_RT_PARAM_INVALID, device.status().message};
}

Result<int64_t> capability(uint32_t device, aclDeviceInfo info) {
  const auto physical = device_for_attribute(device);
  if (!physical.ok()) return Status{ACL_ERROR_INVALID_PARAM, physical.status().message, "EH0009"};
  switch (info) {
    case ACL_DEVICE_INFO_AI_CORE_NUM:
      return soc().ai_cores;
    case ACL_DEVICE_INFO_VECTOR_CORE_NUM:
      return soc().vector_cores;
    case ACL_DEVICE_INFO_L2_SIZE:
      return static_cast<int64_t>(soc().l2_cache);
    case ACL_DEVICE_INFO_UNDEFINED:
      break;
  }
  return Status{
      ACL_ERROR_INVALID_PARAM,
      formatted("deviceInfo is {}; it must be ACL_DEVICE_INFO_AI_CORE_NUM (0) to ACL_DEVICE_INFO_L2_SIZE (2)", info),
      "EH0007"};
}

// Old kinds know neither INF/NaN mode nor bfloat16.
Result<int32_t> cann_attribute(aclCannAttr attribute) {
  switch (attribute) {
    case ACL_CANN_ATTR_INF_NAN:
    case ACL_CANN_ATTR_BF16:
      return soc().inf_nan ? 1 : 0;
    case ACL_CANN_ATTR_JIT_COMPILE:
      return 1;
    case ACL_CANN_ATTR_UNDEFINED:
      break;
  }
  return Status{
      ACL_ERROR_INVALID_PARAM,
      formatted("cannAttr is {}; it must be ACL_CANN_ATTR_INF_NAN (0), _BF16 (1) or _JIT_COMPILE (2)", attribute),
      "EH0007"};
}

bool known_operation(aclrtAtomicOperation operation) {
  return (operation >= ACL_RT_ATOMIC_OPERATION_INTEGER_ADD && operation <= ACL_RT_ATOMIC_OPERATION_FLOAT_MAX) ||
         (operation >= ACL_RT_ATOMIC_OPERATION_DMA_ADD && operation <= ACL_RT_ATOMIC_OPERATION_DMA_MAX) ||
         (operation >= ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_ADD &&
          operation <= ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_EXCH);
}

// A simulated device runs no kernels of the user's and so offers no atomic operation: every mask is 0.
Status no_atomics(uint32_t* capabilities, const aclrtAtomicOperation* operations, uint32_t count) {
  TRY(not_null(capabilities, "capabilities"));
  TRY(not_null(operations, "operations"));
  if (count == 0) return {ACL_ERROR_RT_PARAM_INVALID, "count is 0; it must be the length of both arrays"};
  for (uint32_t i = 0; i < count; ++i)
    if (!known_operation(operations[i]))
      return {ACL_ERROR_RT_PARAM_INVALID,
              formatted("operations[{}] is {}; see aclrtAtomicOperation", i, operations[i])};
  std::fill_n(capabilities, count, 0);
  return {};
}

}  // namespace

const char* aclrtGetSocName() {
  return entry_value<const char*>(__func__, nullptr, [] { return soc_name(); });
}

aclError aclrtGetDeviceCount(uint32_t* count) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(count, "count"));
        if (device_count() == 0)
          return {
              ACL_ERROR_RT_NO_DEVICE,
              "no device is visible; BELAY_DEVICES says how many there are, ASCEND_RT_VISIBLE_DEVICES which of them"};
        *count = static_cast<uint32_t>(device_count());
        return {};
      },
      count);
}

aclError aclrtGetDeviceInfo(uint32_t deviceId, aclrtDevAttr attr, int64_t* value) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(value, "value"));
        *value = TRY(device_attribute(TRY(device_for_attribute(deviceId)), attr));
        return {};
      },
      deviceId, attr, value);
}

aclError aclGetDeviceCapability(uint32_t deviceId, aclDeviceInfo deviceInfo, int64_t* value) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(value, "value"));
        *value = TRY(capability(deviceId, deviceInfo));
        return {};
      },
      deviceId, deviceInfo, value);
}

aclError aclGetCannAttributeList(const aclCannAttr** cannAttrList, size_t* num) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(cannAttrList, "cannAttrList"));
        TRY(not_null(num, "num"));
        static constexpr aclCannAttr all[] = {ACL_CANN_ATTR_INF_NAN, ACL_CANN_ATTR_BF16, ACL_CANN_ATTR_JIT_COMPILE};
        const size_t skipped = soc().inf_nan ? 0 : 2;
        *cannAttrList = all + skipped;
        *num = std::size(all) - skipped;
        return {};
      },
      cannAttrList, num);
}

aclError aclGetCannAttribute(aclCannAttr cannAttr, int32_t* value) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(value, "value"));
        *value = TRY(cann_attribute(cannAttr));
        return {};
      },
      cannAttr, value);
}

aclError aclrtGetDeviceCapability(int32_t deviceId, aclrtDevFeatureType devFeatureType, int32_t* value) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(value, "value"));
        TRY(physical_device(deviceId));
        if (devFeatureType != ACL_FEATURE_TSCPU_TASK_UPDATE_SUPPORT_AIC_AIV &&
            devFeatureType != ACL_FEATURE_SYSTEM_MEMQ_EVENT_CROSS_DEV)
          return {ACL_ERROR_RT_PARAM_INVALID, formatted("devFeatureType is {}; it must be 1 or 21", devFeatureType)};
        *value = ACL_DEV_FEATURE_NOT_SUPPORT;
        return {};
      },
      deviceId, devFeatureType, value);
}

aclError aclrtDeviceGetHostAtomicCapabilities(uint32_t* capabilities, const aclrtAtomicOperation* operations,
                                              const uint32_t count, int32_t deviceId) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(physical_device(deviceId));
        return no_atomics(capabilities, operations, count);
      },
      capabilities, operations, count, deviceId);
}

aclError aclrtDeviceGetP2PAtomicCapabilities(uint32_t* capabilities, const aclrtAtomicOperation* operations,
                                             const uint32_t count, int32_t srcDeviceId, int32_t dstDeviceId) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(physical_device(srcDeviceId));
        TRY(physical_device(dstDeviceId));
        return no_atomics(capabilities, operations, count);
      },
      capabilities, operations, count, srcDeviceId, dstDeviceId);
}

aclError aclrtGetDeviceUtilizationRate(int32_t deviceId, aclrtUtilizationInfo* utilizationInfo) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(utilizationInfo, "utilizationInfo"));
        if (utilizationInfo->utilizationExtend)
          return {ACL_ERROR_INVALID_PARAM, "utilizationInfo->utilizationExtend is reserved and must be null"};
        TRY(physical_device(deviceId));
        // -1: not known. What the CPU does for a simulated device is not its load.
        utilizationInfo->cubeUtilization = -1;
        utilizationInfo->vectorUtilization = -1;
        utilizationInfo->aicpuUtilization = -1;
        utilizationInfo->memoryUtilization = -1;
        return {};
      },
      deviceId, utilizationInfo);
}

aclError aclrtQueryDeviceStatus(int32_t deviceId, aclrtDeviceStatus* deviceStatus) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(deviceStatus, "deviceStatus"));
        TRY(physical_device(deviceId));
        *deviceStatus = ACL_RT_DEVICE_STATUS_NORMAL;
        return {};
      },
      deviceId, deviceStatus);
}

aclError aclrtCheckArchCompatibility(const char* socVersion, int32_t* canCompatible) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(socVersion, "socVersion"));
        TRY(not_null(canCompatible, "canCompatible"));
        const Soc* other = find_soc(socVersion);
        if (!other)
          return {ACL_ERROR_RT_PARAM_INVALID,
                  formatted("{} is not a SoC that Belay knows; see BELAY_SOC_NAME", socVersion)};
        *canCompatible = other->npu_arch == soc().npu_arch ? 1 : 0;
        return {};
      },
      socVersion, canCompatible);
}

aclError aclrtGetErrorVerbose(int32_t deviceId, aclrtErrorInfo* errorInfo) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(errorInfo, "errorInfo"));
        TRY(physical_device(deviceId));
        // Simulated memory, cores and links do not break.
        memset(errorInfo, 0, sizeof *errorInfo);
        errorInfo->errorType = ACL_RT_NO_ERROR;
        return {};
      },
      deviceId, errorInfo);
}

aclError aclrtRepairError(int32_t deviceId, const aclrtErrorInfo* errorInfo) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(errorInfo, "errorInfo"));
        TRY(physical_device(deviceId));
        if (errorInfo->errorType == ACL_RT_NO_ERROR) return {};
        return {
            ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
            formatted("errorType is {}: a simulated device has no broken hardware to repair", errorInfo->errorType)};
      },
      deviceId, errorInfo);
}
