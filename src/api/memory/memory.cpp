// SPDX-License-Identifier: Apache-2.0
#include "acl/acl_rt.h"
#include "api/core/entry.h"
#include "api/memory/config.h"
#include "base/text.h"
#include "runtime/device/current.h"
#include "runtime/device/device.h"
#include "runtime/memory/heap.h"
#include "runtime/memory/host_memory.h"

using namespace belay;
using namespace belay::api;

namespace {

Status check_request(void* const* pointer, const char* parameter, size_t size, std::optional<size_t> charged) {
  TRY(not_null(pointer, parameter));
  if (size == 0) return {ACL_ERROR_INVALID_PARAM, "size is 0; it must be at least 1", "EH0009"};
  if (!charged)
    return {ACL_ERROR_INVALID_PARAM, formatted("size {} is too large: rounding it up overflows", size), "EH0009"};
  return {};
}

// The policy is a hint: every kind of page is the same memory here.
Status allocate_device(const char* function, void** pointer, size_t size, std::optional<size_t> charged,
                       std::optional<int> device = {}) {
  TRY(check_request(pointer, "devPtr", size, charged));
  const auto context = TRY(current_context());
  Heap& heap = device_heap(device.value_or(context->device().id()));
  *pointer = TRY(heap.allocate(size, *charged, function));
  return {};
}

Status allocate_pinned(const char* function, void** pointer, size_t size) {
  TRY(check_request(pointer, "hostPtr", size, rounded_size(size)));
  TRY(current_context());
  *pointer = TRY(allocate_host(size, function));
  return {};
}

// The contexts whose tasks may use the memory: those of its device; of host memory, the current one.
Result<std::vector<std::shared_ptr<Context>>> users_of(const void* pointer) {
  const Site site = blocks().locate(pointer);
  if (site.place != Place::Device) return std::vector{TRY(current_context())};
  return TRY(find_device(site.block.device))->contexts();
}

// 107000 when a stream of the context has tasks left that this thread cannot wait for.
Status check_can_wait(const Context& context) {
  for (const auto& stream : context.streams())
    if (const auto idle = stream->idle(); idle.ok() && !*idle) TRY(stream->check_can_wait());
  return {};
}

// The first error of a stream is returned after the memory is freed; where waiting was refused, tasks may still use it.
Status free_after_sync(void* pointer, const char* parameter, Status (*free)(void*)) {
  TRY(not_null(pointer, parameter));
  const auto users = TRY(users_of(pointer));
  Status first;
  for (const auto& context : users) {
    Status status = context->synchronize({});
    if (first.ok()) first = std::move(status);
  }
  for (const auto& context : users) {
    if (Status refused = check_can_wait(*context); !refused.ok()) {
      refused.message += "; the memory is not freed";
      return refused;
    }
  }
  TRY(free(pointer));
  return first;
}

}  // namespace

aclError aclrtMalloc(void** devPtr, size_t size, aclrtMemMallocPolicy policy) {
  return entry(
      __func__, [&] { return allocate_device("aclrtMalloc", devPtr, size, padded_size(size)); }, devPtr, size, policy);
}

aclError aclrtMallocAlign32(void** devPtr, size_t size, aclrtMemMallocPolicy policy) {
  return entry(
      __func__, [&] { return allocate_device("aclrtMallocAlign32", devPtr, size, rounded_size(size)); }, devPtr, size,
      policy);
}

aclError aclrtMallocCached(void** devPtr, size_t size, aclrtMemMallocPolicy policy) {
  return entry(
      __func__, [&] { return allocate_device("aclrtMallocCached", devPtr, size, padded_size(size)); }, devPtr, size,
      policy);
}

aclError aclrtMallocWithCfg(void** devPtr, size_t size, aclrtMemMallocPolicy policy, aclrtMallocConfig* cfg) {
  return entry(
      __func__,
      [&]() -> Status {
        const auto config = TRY(read_malloc_config(cfg));
        return allocate_device("aclrtMallocWithCfg", devPtr, size, size, config.device);
      },
      devPtr, size, policy, cfg);
}

aclError aclrtMallocForTaskScheduler(void** devPtr, size_t size, aclrtMemMallocPolicy policy, aclrtMallocConfig* cfg) {
  return entry(
      __func__,
      [&]() -> Status {
        const auto config = TRY(read_malloc_config(cfg));
        return allocate_device("aclrtMallocForTaskScheduler", devPtr, size, size, config.device);
      },
      devPtr, size, policy, cfg);
}

aclError aclrtMallocHost(void** hostPtr, size_t size) {
  return entry(
      __func__, [&] { return allocate_pinned("aclrtMallocHost", hostPtr, size); }, hostPtr, size);
}

aclError aclrtMallocHostWithCfg(void** ptr, uint64_t size, aclrtMallocConfig* cfg) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(read_malloc_config(cfg));
        return allocate_pinned("aclrtMallocHostWithCfg", ptr, size);
      },
      ptr, size, cfg);
}

aclError aclrtFree(void* devPtr) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(devPtr, "devPtr"));
        return free_device_memory(devPtr);
      },
      devPtr);
}

aclError aclrtFreeWithDevSync(void* devPtr) {
  return entry(
      __func__, [&] { return free_after_sync(devPtr, "devPtr", free_device_memory); }, devPtr);
}

aclError aclrtFreeHost(void* hostPtr) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(hostPtr, "hostPtr"));
        return free_host(hostPtr);
      },
      hostPtr);
}

aclError aclrtFreeHostWithDevSync(void* hostPtr) {
  return entry(
      __func__, [&] { return free_after_sync(hostPtr, "hostPtr", free_host); }, hostPtr);
}
