// SPDX-License-Identifier: Apache-2.0
#include <bit>

#include "acl/acl_rt.h"
#include "api/core/entry.h"
#include "base/text.h"
#include "runtime/bad_parameter.h"
#include "runtime/device/current.h"
#include "runtime/device/device.h"
#include "runtime/memory/virtual_memory.h"

using namespace belay;
using namespace belay::api;

namespace {

Status must_be_zero(const char* parameter, uint64_t value) {
  if (value == 0) return {};
  return bad_parameter(formatted("{} is {}; it must be 0", parameter, value));
}

// The unit in which memory of an attribute is made; 107000 for an unknown one.
Result<size_t> granularity(aclrtMemAttr attr) {
  switch (attr) {
    case ACL_DDR_MEM_NORMAL:
    case ACL_HBM_MEM_NORMAL:
    case ACL_DDR_MEM_P2P_NORMAL:
    case ACL_HBM_MEM_P2P_NORMAL:
    case ACL_MEM_NORMAL:
    case ACL_MEM_P2P_NORMAL:
      return kPage;
    case ACL_DDR_MEM:
    case ACL_HBM_MEM:
    case ACL_DDR_MEM_HUGE:
    case ACL_HBM_MEM_HUGE:
    case ACL_DDR_MEM_P2P_HUGE:
    case ACL_HBM_MEM_P2P_HUGE:
    case ACL_MEM_HUGE:
    case ACL_MEM_P2P_HUGE:
      return kHugePage;
    case ACL_HBM_MEM_HUGE1G:
    case ACL_HBM_MEM_P2P_HUGE1G:
    case ACL_MEM_HUGE1G:
    case ACL_MEM_P2P_HUGE1G:
      return size_t{1} << 30;
  }
  return bad_parameter(formatted("prop->memAttr is {}; it must be one of aclrtMemAttr, 0 to 17", attr));
}

Result<PhysicalTraits> read_properties(const aclrtPhysicalMemProp& prop) {
  if (prop.allocationType != ACL_MEM_ALLOCATION_TYPE_PINNED)
    return bad_parameter(
        formatted("prop->allocationType is {}; it must be ACL_MEM_ALLOCATION_TYPE_PINNED", prop.allocationType));
  if (prop.handleType != ACL_MEM_HANDLE_TYPE_NONE && prop.handleType != ACL_MEM_HANDLE_TYPE_POSIX)
    return bad_parameter(formatted("prop->handleType is {}; it must be one of aclrtMemHandleType", prop.handleType));
  PhysicalTraits traits{.attribute = prop.memAttr, .handle_type = prop.handleType};
  traits.location_id = prop.location.id;
  traits.location_type = prop.location.type;
  switch (prop.location.type) {
    case ACL_MEM_LOCATION_TYPE_DEVICE:
      traits.device = TRY(find_device(static_cast<int>(prop.location.id)))->id();
      return traits;
    case ACL_MEM_LOCATION_TYPE_HOST:
    case ACL_MEM_LOCATION_TYPE_HOST_NUMA:
      return traits;
    case ACL_MEM_LOCATION_TYPE_UNREGISTERED:
    case ACL_MEM_LOCATION_TYPE_MANAGED:
      break;
  }
  return bad_parameter(formatted("prop->location.type is {}; physical memory is on the host (0, 4) or a device (1)",
                                 prop.location.type));
}

Status ask_granularity(const aclrtPhysicalMemProp* prop, aclrtMemGranularityOptions option, size_t* unit) {
  TRY(not_null(prop, "prop"));
  TRY(not_null(unit, "granularity"));
  if (option != ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM && option != ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED)
    return {ACL_ERROR_INVALID_PARAM, formatted("option is {}; it must be 0 (minimum) or 1 (recommended)", option),
            "EH0007"};
  TRY(read_properties(*prop));
  *unit = TRY(granularity(prop->memAttr));
  return {};
}

Status make_physical(aclrtDrvMemHandle* handle, size_t size, const aclrtPhysicalMemProp* prop, uint64_t flags) {
  TRY(not_null(handle, "handle"));
  TRY(not_null(prop, "prop"));
  TRY(current_context());
  TRY(must_be_zero("flags", flags));
  const auto traits = TRY(read_properties(*prop));
  const size_t unit = TRY(granularity(prop->memAttr));
  if (size == 0 || size % unit != 0)
    return bad_parameter(
        formatted("size is {}; it must be a multiple of {} and not 0 (aclrtMemGetAllocationGranularity)", size, unit));
  *handle = physical_memory_table().insert(TRY(PhysicalMemory::make(size, traits)));
  return {};
}

Status describe_physical(aclrtDrvMemHandle handle, aclrtPhysicalMemProp* prop) {
  TRY(not_null(handle, "handle"));
  TRY(not_null(prop, "prop"));
  const auto memory = TRY(find_physical_memory(handle));
  const PhysicalTraits& traits = memory->traits();
  *prop = {};
  prop->handleType = static_cast<aclrtMemHandleType>(traits.handle_type);
  prop->allocationType = ACL_MEM_ALLOCATION_TYPE_PINNED;
  prop->memAttr = static_cast<aclrtMemAttr>(traits.attribute);
  prop->location.id = traits.location_id;
  prop->location.type = static_cast<aclrtMemLocationType>(traits.location_type);
  return {};
}

Status reserve(void** pointer, size_t size, size_t alignment, void* wanted, uint64_t flags) {
  TRY(not_null(pointer, "virPtr"));
  if (size == 0) return bad_parameter("size is 0; it must be at least 1");
  if (alignment != 0 && !std::has_single_bit(alignment))
    return bad_parameter(formatted("alignment is {}; it must be 0 or a power of two", alignment));
  if (flags > 1) return bad_parameter(formatted("flags is {}; it must be 0 (normal pages) or 1 (huge pages)", flags));
  TRY(current_context());
  *pointer = TRY(virtual_memory().reserve(size, alignment, wanted));
  return {};
}

Status map_memory(void* pointer, size_t size, size_t offset, aclrtDrvMemHandle handle, uint64_t flags,
                  uint32_t access) {
  TRY(not_null(pointer, "virPtr"));
  TRY(not_null(handle, "handle"));
  auto memory = TRY(find_physical_memory(handle));
  TRY(must_be_zero("flags", flags));
  if (size == 0) return bad_parameter("size is 0; it must be at least 1");
  return virtual_memory().map(pointer, size, offset, std::move(memory), access);
}

Result<Accessor> read_accessor(const aclrtMemLocation& location) {
  if (location.type == ACL_MEM_LOCATION_TYPE_DEVICE) TRY(find_device(static_cast<int>(location.id)));
  const bool host = location.type == ACL_MEM_LOCATION_TYPE_HOST || location.type == ACL_MEM_LOCATION_TYPE_HOST_NUMA;
  if (!host && location.type != ACL_MEM_LOCATION_TYPE_DEVICE)
    return bad_parameter(
        formatted("location type {} cannot be given access; the host (0, 4) and devices (1) can", location.type));
  return Accessor{location.type, location.id};
}

Status set_access(void* pointer, size_t size, const aclrtMemAccessDesc* descs, size_t count) {
  TRY(not_null(pointer, "virPtr"));
  TRY(not_null(descs, "desc"));
  if (count == 0) return bad_parameter("count is 0; it must be at least 1");
  for (size_t i = 0; i < count; ++i) {
    TRY(read_accessor(descs[i].location));
    if (descs[i].flags != ACL_RT_MEM_ACCESS_FLAGS_NONE && descs[i].flags != ACL_RT_MEM_ACCESS_FLAGS_READ &&
        descs[i].flags != ACL_RT_MEM_ACCESS_FLAGS_READWRITE)
      return bad_parameter(
          formatted("desc[{}].flags is {}; it must be 0 (none), 1 (read) or 3 (read and write)", i, descs[i].flags));
  }
  for (size_t i = 0; i < count; ++i)
    TRY(virtual_memory().set_access(pointer, size, TRY(read_accessor(descs[i].location)), descs[i].flags));
  return {};
}

Status get_access(void* pointer, const aclrtMemLocation* location, uint64_t* flags) {
  TRY(not_null(pointer, "virPtr"));
  TRY(not_null(location, "location"));
  TRY(not_null(flags, "flag"));
  *flags = TRY(virtual_memory().access(pointer, TRY(read_accessor(*location))));
  return {};
}

Status retain(void* pointer, aclrtDrvMemHandle* handle) {
  TRY(not_null(pointer, "virPtr"));
  TRY(not_null(handle, "handle"));
  *handle = physical_memory_table().insert(TRY(virtual_memory().memory_at(pointer)));
  return {};
}

}  // namespace

aclError aclrtMemGetAllocationGranularity(aclrtPhysicalMemProp* prop, aclrtMemGranularityOptions option,
                                          size_t* granularity) {
  return entry(
      __func__, [&] { return ask_granularity(prop, option, granularity); }, prop, option, granularity);
}

aclError aclrtReserveMemAddress(void** virPtr, size_t size, size_t alignment, void* expectPtr, uint64_t flags) {
  return entry(
      __func__, [&] { return reserve(virPtr, size, alignment, expectPtr, flags); }, virPtr, size, alignment, expectPtr,
      flags);
}

aclError aclrtReserveMemAddressNoUCMemory(void** virPtr, size_t size, size_t alignment, void* expectPtr,
                                          uint64_t flags) {
  return entry(
      __func__, [&] { return reserve(virPtr, size, alignment, expectPtr, flags); }, virPtr, size, alignment, expectPtr,
      flags);
}

aclError aclrtReleaseMemAddress(void* virPtr) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(virPtr, "virPtr"));
        return virtual_memory().release(virPtr);
      },
      virPtr);
}

aclError aclrtMallocPhysical(aclrtDrvMemHandle* handle, size_t size, const aclrtPhysicalMemProp* prop, uint64_t flags) {
  return entry(
      __func__, [&] { return make_physical(handle, size, prop, flags); }, handle, size, prop, flags);
}

aclError aclrtFreePhysical(aclrtDrvMemHandle handle) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(handle, "handle"));
        TRY(find_physical_memory(handle));
        physical_memory_table().remove(handle);
        return {};
      },
      handle);
}

aclError aclrtMapMem(void* virPtr, size_t size, size_t offset, aclrtDrvMemHandle handle, uint64_t flags) {
  return entry(
      __func__, [&] { return map_memory(virPtr, size, offset, handle, flags, ACL_RT_MEM_ACCESS_FLAGS_READWRITE); },
      virPtr, size, offset, handle, flags);
}

aclError aclrtMemMapNoAccess(void* virPtr, size_t size, size_t offset, aclrtDrvMemHandle handle, uint64_t flags) {
  return entry(
      __func__, [&] { return map_memory(virPtr, size, offset, handle, flags, ACL_RT_MEM_ACCESS_FLAGS_NONE); }, virPtr,
      size, offset, handle, flags);
}

aclError aclrtUnmapMem(void* virPtr) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(virPtr, "virPtr"));
        return virtual_memory().unmap(virPtr);
      },
      virPtr);
}

aclError aclrtMemSetAccess(void* virPtr, size_t size, aclrtMemAccessDesc* desc, size_t count) {
  return entry(
      __func__, [&] { return set_access(virPtr, size, desc, count); }, virPtr, size, desc, count);
}

aclError aclrtMemGetAccess(void* virPtr, aclrtMemLocation* location, uint64_t* flag) {
  return entry(
      __func__, [&] { return get_access(virPtr, location, flag); }, virPtr, location, flag);
}

aclError aclrtMemRetainAllocationHandle(void* virPtr, aclrtDrvMemHandle* handle) {
  return entry(
      __func__, [&] { return retain(virPtr, handle); }, virPtr, handle);
}

aclError aclrtMemGetAllocationPropertiesFromHandle(aclrtDrvMemHandle handle, aclrtPhysicalMemProp* prop) {
  return entry(
      __func__, [&] { return describe_physical(handle, prop); }, handle, prop);
}
