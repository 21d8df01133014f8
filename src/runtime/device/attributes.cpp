// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/attributes.h"

#include <strings.h>

#include <cstdio>

#include "base/text.h"
#include "runtime/device/devices.h"
#include "runtime/device/soc.h"

namespace belay {

Result<int64_t> device_attribute(int physical_id, aclrtDevAttr attribute) {
  switch (attribute) {
    case ACL_DEV_ATTR_AICPU_CORE_NUM:
      return soc().aicpu_cores;
    case ACL_DEV_ATTR_AICORE_CORE_NUM:
      return soc().ai_cores;
    case ACL_DEV_ATTR_CUBE_CORE_NUM:
      if (soc().cube_cores < 0)
        return Status{ACL_ERROR_RT_PARAM_INVALID, formatted("{} has no ACL_DEV_ATTR_CUBE_CORE_NUM", soc_name())};
      return soc().cube_cores;
    case ACL_DEV_ATTR_VECTOR_CORE_NUM:
      return soc().vector_cores;
    case ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE:
      return static_cast<int64_t>(device_memory_size());
    case ACL_DEV_ATTR_L2_CACHE_SIZE:
      return static_cast<int64_t>(soc().l2_cache);
    case ACL_DEV_ATTR_PHY_CHIP_ID:
      return physical_id;
    case ACL_DEV_ATTR_NPU_ARCH:
      return soc().npu_arch;
    // None of these kinds has SIMT cores; it stands in no pod; it is not cut into virtual devices.
    case ACL_DEV_ATTR_WARP_SIZE:
    case ACL_DEV_ATTR_MAX_THREAD_PER_VECTOR_CORE:
    case ACL_DEV_ATTR_UBUF_PER_VECTOR_CORE:
    case ACL_DEV_ATTR_MAX_GRID_DIM_X:
    case ACL_DEV_ATTR_MAX_GRID_DIM_Y:
    case ACL_DEV_ATTR_MAX_GRID_DIM_Z:
    case ACL_DEV_ATTR_MAX_BLOCK_PER_GRID:
    case ACL_DEV_ATTR_MAX_THREADS_PER_BLOCK:
    case ACL_DEV_ATTR_MAX_BLOCK_DIM_X:
    case ACL_DEV_ATTR_MAX_BLOCK_DIM_Y:
    case ACL_DEV_ATTR_MAX_BLOCK_DIM_Z:
    case ACL_DEV_ATTR_SMP_ID:
    case ACL_DEV_ATTR_SUPER_POD_DEVICE_ID:
    case ACL_DEV_ATTR_SUPER_POD_SERVER_ID:
    case ACL_DEV_ATTR_SUPER_POD_ID:
    case ACL_DEV_ATTR_CUST_OP_PRIVILEGE:
    case ACL_DEV_ATTR_MAINBOARD_ID:
    case ACL_DEV_ATTR_HD_CONNECT_TYPE:
    case ACL_DEV_ATTR_DEVICE_FORM_FACTOR:
    case ACL_DEV_ATTR_IS_VIRTUAL:
      return 0;
  }
  return Status{ACL_ERROR_RT_PARAM_INVALID, formatted("attribute {} does not exist; see aclrtDevAttr", attribute)};
}

std::string pci_bus_id(int physical_id) {
  char text[32];
  snprintf(text, sizeof text, "%04X:%02X:00.0", static_cast<unsigned>(physical_id) / 256u,
           static_cast<unsigned>(physical_id) % 256u);
  return text;
}

std::optional<int> device_at_pci_bus(std::string_view bus_id) {
  unsigned domain = 0, bus = 0;
  const std::string text(bus_id.substr(0, 16));
  if (sscanf(text.c_str(), "%4x:%2x:", &domain, &bus) != 2) return {};
  const int id = static_cast<int>(domain * 256 + bus);
  if (strcasecmp(pci_bus_id(id).c_str(), text.c_str()) != 0) return {};
  return id;
}

std::string device_uuid(int physical_id) {
  char text[32];
  snprintf(text, sizeof text, "Belay-device%04u", static_cast<unsigned>(physical_id) % 10000u);
  return text;
}

}  // namespace belay
