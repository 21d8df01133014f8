// SPDX-License-Identifier: Apache-2.0
#include "api/memory/config.h"

#include "api/core/entry.h"
#include "base/text.h"
#include "runtime/device/device.h"

namespace belay::api {
namespace {

Status read_attribute(const aclrtMallocAttribute& attribute, MallocConfig& config) {
  switch (attribute.attr) {
    case ACL_RT_MEM_ATTR_RSV:
    case ACL_RT_MEM_ATTR_MODULE_ID:
    case ACL_RT_MEM_ATTR_VA_FLAG:
      return {};
    case ACL_RT_MEM_ATTR_DEVICE_ID:
      config.device = TRY(find_device(static_cast<int>(attribute.value.deviceId)))->id();
      return {};
  }
  return {ACL_ERROR_INVALID_PARAM,
          formatted("cfg has an attribute of kind {}; kinds are 1 (module id), 2 (device id) and 3 (address flag)",
                    attribute.attr),
          "EH0007"};
}

}  // namespace

Result<MallocConfig> read_malloc_config(const aclrtMallocConfig* config) {
  MallocConfig read;
  if (!config || config->numAttrs == 0) return read;
  TRY(not_null(config->attrs, "cfg->attrs"));
  for (size_t i = 0; i < config->numAttrs; ++i) TRY(read_attribute(config->attrs[i], read));
  return read;
}

}  // namespace belay::api
