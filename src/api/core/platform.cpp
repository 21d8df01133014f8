// SPDX-License-Identifier: Apache-2.0
#include "acl/acl_platform.h"

#include <cstring>

#include "api/core/entry.h"
#include "base/text.h"
#include "runtime/device/devices.h"
#include "runtime/device/soc.h"

using namespace belay;
using namespace belay::api;

namespace {

Result<std::string> platform_info(aclplatformDevInfo info) {
  switch (info) {
    case ACL_PLATFORM_AICORE_CNT:
      return formatted("{}", soc().ai_cores);
    case ACL_PLATFORM_CUBE_CORE_CNT:
      return formatted("{}", soc().cube_cores < 0 ? soc().ai_cores : soc().cube_cores);
    case ACL_PLATFORM_VECTOR_CORE_CNT:
      return formatted("{}", soc().vector_cores);
    case ACL_PLATFORM_L2_SIZE:
      return formatted("{}", soc().l2_cache);
    case ACL_PLATFORM_MEMORY_SIZE:
      return formatted("{}", device_memory_size());
    case ACL_PLATFORM_SOC_VERSION:
      return std::string(soc_name());
    case ACL_PLATFORM_NPU_ARCH:
      return formatted("{}", soc().npu_arch);
    case ACL_PLATFORM_AICORE_UB_SIZE:
    case ACL_PLATFORM_CUBE_FREQ:
    case ACL_PLATFORM_VEC_FREQ:
    case ACL_PLATFORM_BT_SIZE:
    case ACL_PLATFORM_L0_A_SIZE:
    case ACL_PLATFORM_L0_B_SIZE:
    case ACL_PLATFORM_L0_C_SIZE:
    case ACL_PLATFORM_L1_SIZE:
    case ACL_PLATFORM_AIC_VERSION:
    case ACL_PLATFORM_MEMORY_TYPE:
      return Status{ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                    formatted("infoType {} describes core hardware that is not simulated", info)};
  }
  return Status{ACL_ERROR_INVALID_PARAM, formatted("infoType {} does not exist; see aclplatformDevInfo", info),
                "EH0007"};
}

}  // namespace

aclError aclplatformGetDeviceInfo(aclplatformDevInfo infoType, char* value, uint32_t maxLen) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(value, "value"));
        const std::string text = TRY(platform_info(infoType));
        if (text.size() >= maxLen)
          return {ACL_ERROR_INVALID_PARAM, formatted("maxLen is {}; {} bytes are needed", maxLen, text.size() + 1),
                  "EH0009"};
        memcpy(value, text.c_str(), text.size() + 1);
        return {};
      },
      infoType, value, maxLen);
}
