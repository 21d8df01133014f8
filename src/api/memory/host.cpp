// SPDX-License-Identifier: Apache-2.0
#include "acl/acl_rt.h"
#include "api/core/entry.h"
#include "base/text.h"
#include "runtime/device/current.h"
#include "runtime/device/device.h"
#include "runtime/memory/blocks.h"

using namespace belay;
using namespace belay::api;

namespace {

constexpr uint32_t kKnownFlags =
    ACL_HOST_REG_MAPPED | ACL_HOST_REG_IOMEMORY | ACL_HOST_REG_READONLY | ACL_HOST_REG_PINNED;

Status check_range_given(const void* pointer, uint64_t size) {
  TRY(not_null(pointer, "ptr"));
  if (size == 0) return {ACL_ERROR_INVALID_PARAM, "size is 0; it must be at least 1", "EH0009"};
  if (size > UINTPTR_MAX - reinterpret_cast<uintptr_t>(pointer))
    return {ACL_ERROR_INVALID_PARAM, formatted("size {} leaves the address space", size), "EH0009"};
  return {};
}

Status register_range(const char* function, void* pointer, uint64_t size, uint32_t flags) {
  TRY(current_context());
  if (flags & ACL_HOST_REG_IOMEMORY)
    return {ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "I/O memory cannot be registered: the devices are simulated"};
  return blocks().add_foreign({.base = static_cast<std::byte*>(pointer),
                               .size = size,
                               .kind = BlockKind::Registered,
                               .flags = flags,
                               .owner = function});
}

Status register_v1(void* pointer, uint64_t size, aclrtHostRegisterType type, void** device_pointer) {
  TRY(check_range_given(pointer, size));
  TRY(not_null(device_pointer, "devPtr"));
  if (type != ACL_HOST_REGISTER_MAPPED && type != ACL_HOST_REGISTER_IOMEMORY && type != ACL_HOST_REGISTER_READONLY)
    return {ACL_ERROR_INVALID_PARAM, formatted("type is {}; it must be one of aclrtHostRegisterType", type), "EH0007"};
  TRY(register_range("aclrtHostRegister", pointer, size, ACL_HOST_REG_MAPPED | static_cast<uint32_t>(type)));
  *device_pointer = pointer;
  return {};
}

Status register_v2(void* pointer, uint64_t size, uint32_t flags) {
  TRY(check_range_given(pointer, size));
  if (flags == 0 || (flags & ~kKnownFlags))
    return {ACL_ERROR_RT_PARAM_INVALID, formatted("flag is {}; it must be one or more of ACL_HOST_REG_*", flags)};
  return register_range("aclrtHostRegisterV2", pointer, size, flags);
}

// Host and devices see the same addresses here.
Status device_pointer(void* host, void** device, uint32_t flags) {
  TRY(not_null(host, "pHost"));
  TRY(not_null(device, "pDevice"));
  if (flags != 0) return {ACL_ERROR_RT_PARAM_INVALID, formatted("flag is {}; it must be 0", flags)};
  const Site site = blocks().locate(host);
  if (site.place != Place::Pinned)
    return {ACL_ERROR_RT_PARAM_INVALID,
            formatted("pHost {} is {}; register it with aclrtHostRegisterV2 and ACL_HOST_REG_MAPPED first", host,
                      blocks().describe(host))};
  if (site.block.kind == BlockKind::Registered && !(site.block.flags & ACL_HOST_REG_MAPPED))
    return {ACL_ERROR_RT_PARAM_INVALID, formatted("pHost {} was registered without ACL_HOST_REG_MAPPED", host)};
  *device = host;
  return {};
}

Status map_capabilities(uint32_t device, aclrtHacType type, aclrtHostMemMapCapability* capability) {
  TRY(not_null(capability, "capabilities"));
  TRY(find_device(static_cast<int>(device)));
  if (type < ACL_RT_HAC_TYPE_STARS || type > ACL_RT_HAC_TYPE_CCU)
    return {ACL_ERROR_RT_PARAM_INVALID, formatted("hacType is {}; it must be one of aclrtHacType, 0 to 9", type)};
  *capability = ACL_RT_HOST_MEM_MAP_SUPPORTED;
  return {};
}

}  // namespace

aclError aclrtHostRegister(void* ptr, uint64_t size, aclrtHostRegisterType type, void** devPtr) {
  return entry(
      __func__, [&] { return register_v1(ptr, size, type, devPtr); }, ptr, size, type, devPtr);
}

aclError aclrtHostRegisterV2(void* ptr, uint64_t size, uint32_t flag) {
  return entry(
      __func__, [&] { return register_v2(ptr, size, flag); }, ptr, size, flag);
}

aclError aclrtHostGetDevicePointer(void* pHost, void** pDevice, uint32_t flag) {
  return entry(
      __func__, [&] { return device_pointer(pHost, pDevice, flag); }, pHost, pDevice, flag);
}

aclError aclrtHostUnregister(void* ptr) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(ptr, "ptr"));
        TRY(blocks().take(ptr, {BlockKind::Registered}));
        return {};
      },
      ptr);
}

aclError aclrtHostMemMapCapabilities(uint32_t deviceId, aclrtHacType hacType, aclrtHostMemMapCapability* capabilities) {
  return entry(
      __func__, [&] { return map_capabilities(deviceId, hacType, capabilities); }, deviceId, hacType, capabilities);
}
