// SPDX-License-Identifier: Apache-2.0
// Memory for pictures and video: ordinary device memory with a start that media units like.
#define ENABLE_DVPP_INTERFACE
#include "acl/ops/acl_dvpp.h"

#include <algorithm>
#include <limits>

#include "api/core/entry.h"
#include "api/memory/config.h"
#include "base/text.h"
#include "runtime/device/current.h"
#include "runtime/device/device.h"
#include "runtime/memory/heap.h"

using namespace belay;
using namespace belay::api;

namespace {

constexpr size_t kUnit = 32, kMost = std::numeric_limits<size_t>::max() - 2 * kUnit;
constexpr size_t kAligned = 512;  // blocks from this size on start at a multiple of it; 128 is promised

Status allocate_media(const char* function, void** pointer, size_t size, std::optional<int> device = {}) {
  TRY(not_null(pointer, "devPtr"));
  if (size > kMost)
    return {ACL_ERROR_INVALID_PARAM, formatted("size {} is too large: rounding it up overflows", size), "EH0009"};
  const auto context = current_context();
  if (!context.ok()) return {ACL_ERROR_INTERNAL_ERROR, context.status().message, context.status().message_id};
  const size_t charged = (size + kUnit - 1) / kUnit * kUnit + kUnit;
  Heap& heap = device_heap(device.value_or((*context)->device().id()));
  *pointer = TRY(heap.allocate(std::max(size, kAligned), charged, function));
  return {};
}

}  // namespace

aclError acldvppMalloc(void** devPtr, size_t size) {
  return entry(
      __func__, [&] { return allocate_media("acldvppMalloc", devPtr, size); }, devPtr, size);
}

aclError acldvppMallocWithCfg(void** devPtr, size_t size, aclrtMemMallocPolicy policy, aclrtMallocConfig* cfg) {
  return entry(
      __func__,
      [&]() -> Status {
        const auto config = TRY(read_malloc_config(cfg));
        return allocate_media("acldvppMallocWithCfg", devPtr, size, config.device);
      },
      devPtr, size, policy, cfg);
}

aclError acldvppFree(void* devPtr) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(devPtr, "devPtr"));
        return free_device_memory(devPtr);
      },
      devPtr);
}
