// SPDX-License-Identifier: Apache-2.0
#include "runtime/memory/memory_pool.h"

#include "acl/acl_rt.h"
#include "acl/acl_rt_memory_soma.h"
#include "api/core/entry.h"
#include "base/text.h"
#include "runtime/bad_parameter.h"
#include "runtime/device/current.h"
#include "runtime/device/device.h"

using namespace belay;
using namespace belay::api;

namespace {

Status create(aclrtMemPool* handle, const aclrtMemPoolProps* props) {
  TRY(not_null(handle, "memPool"));
  TRY(not_null(props, "poolProps"));
  if (props->allocType != ACL_MEM_ALLOCATION_TYPE_PINNED)
    return bad_parameter(formatted("allocType is {}; it must be ACL_MEM_ALLOCATION_TYPE_PINNED", props->allocType));
  if (props->handleType != ACL_MEM_HANDLE_TYPE_NONE && props->handleType != ACL_MEM_HANDLE_TYPE_POSIX)
    return bad_parameter(formatted("handleType is {}; it must be one of aclrtMemHandleType", props->handleType));
  if (props->location.type != ACL_MEM_LOCATION_TYPE_DEVICE)
    return bad_parameter(formatted("location.type is {}; a pool is on a device (1)", props->location.type));
  const int device = TRY(find_device(static_cast<int>(props->location.id)))->id();
  *handle = memory_pool_table().insert(std::make_shared<MemoryPool>(device, props->maxSize));
  return {};
}

Status destroy(aclrtMemPool handle) {
  TRY(not_null(handle, "memPool"));
  const auto pool = TRY(find_memory_pool(handle));
  memory_pool_table().remove(handle);
  pool->trim(0);
  return {};
}

Status unknown_attribute(aclrtMemPoolAttr attr) {
  return {ACL_ERROR_INVALID_PARAM, formatted("attr is {}; it must be one of aclrtMemPoolAttr, 1 to 8", attr), "EH0007"};
}

Status set_switch(std::atomic<int32_t>& into, const void* value) {
  const int32_t wanted = *static_cast<const int32_t*>(value);
  if (wanted != 0 && wanted != 1) return bad_parameter(formatted("the value is {}; it must be 0 or 1", wanted));
  into = wanted;
  return {};
}

Status check_reset(const void* value) {
  if (*static_cast<const uint64_t*>(value) == 0) return {};
  return bad_parameter("a high-water mark can only be set to 0, which restarts it");
}

Status set_attribute(aclrtMemPool handle, aclrtMemPoolAttr attr, const void* value) {
  TRY(not_null(handle, "memPool"));
  TRY(not_null(value, "value"));
  const auto pool = TRY(find_memory_pool(handle));
  switch (attr) {
    case ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES:
      return set_switch(pool->follow_events, value);
    case ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC:
      return set_switch(pool->opportunistic, value);
    case ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
      return set_switch(pool->internal_dependencies, value);
    case ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD:
      pool->threshold = *static_cast<const uint64_t*>(value);
      return {};
    case ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH:
      TRY(check_reset(value));
      pool->reset_reserved_high();
      return {};
    case ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH:
      TRY(check_reset(value));
      pool->reset_used_high();
      return {};
    case ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT:
    case ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT:
      return bad_parameter("how much the pool holds and has handed out can only be read");
  }
  return unknown_attribute(attr);
}

Status get_attribute(aclrtMemPool handle, aclrtMemPoolAttr attr, void* value) {
  TRY(not_null(handle, "memPool"));
  TRY(not_null(value, "value"));
  const auto pool = TRY(find_memory_pool(handle));
  const auto put_switch = [&](int32_t answer) { *static_cast<int32_t*>(value) = answer; };
  const auto put_bytes = [&](uint64_t answer) { *static_cast<uint64_t*>(value) = answer; };
  switch (attr) {
    case ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES:
      put_switch(pool->follow_events);
      return {};
    case ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC:
      put_switch(pool->opportunistic);
      return {};
    case ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
      put_switch(pool->internal_dependencies);
      return {};
    case ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD:
      put_bytes(pool->threshold);
      return {};
    case ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT:
      put_bytes(pool->reserved());
      return {};
    case ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH:
      put_bytes(pool->reserved_high());
      return {};
    case ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT:
      put_bytes(pool->used());
      return {};
    case ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH:
      put_bytes(pool->used_high());
      return {};
  }
  return unknown_attribute(attr);
}

Status allocate(void** pointer, size_t size, aclrtMemPool handle, aclrtStream stream) {
  TRY(not_null(pointer, "ptr"));
  TRY(not_null(handle, "memPool"));
  if (size == 0) return {ACL_ERROR_INVALID_PARAM, "size is 0; it must be at least 1", "EH0009"};
  const auto pool = TRY(find_memory_pool(handle));
  const auto target = TRY(find_stream(stream));
  *pointer = TRY(pool->allocate(size, *target));
  return {};
}

}  // namespace

aclError aclrtMemPoolCreate(aclrtMemPool* memPool, const aclrtMemPoolProps* poolProps) {
  return entry(
      __func__, [&] { return create(memPool, poolProps); }, memPool, poolProps);
}

aclError aclrtMemPoolDestroy(const aclrtMemPool memPool) {
  return entry(
      __func__, [&] { return destroy(memPool); }, memPool);
}

aclError aclrtMemPoolSetAttr(aclrtMemPool memPool, aclrtMemPoolAttr attr, void* value) {
  return entry(
      __func__, [&] { return set_attribute(memPool, attr, value); }, memPool, attr, value);
}

aclError aclrtMemPoolGetAttr(aclrtMemPool memPool, aclrtMemPoolAttr attr, void* value) {
  return entry(
      __func__, [&] { return get_attribute(memPool, attr, value); }, memPool, attr, value);
}

aclError aclrtMemPoolMallocAsync(void** ptr, size_t size, aclrtMemPool memPool, aclrtStream stream) {
  return entry(
      __func__, [&] { return allocate(ptr, size, memPool, stream); }, ptr, size, memPool, stream);
}

aclError aclrtMemPoolFreeAsync(void* ptr, aclrtStream stream) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(ptr, "ptr"));
        return free_to_pool(ptr, *TRY(find_stream(stream)));
      },
      ptr, stream);
}

aclError aclrtMemPoolTrimTo(aclrtMemPool memPool, size_t minBytesToKeep) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(memPool, "memPool"));
        TRY(find_memory_pool(memPool))->trim(minBytesToKeep);
        return {};
      },
      memPool, minBytesToKeep);
}
