// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <string_view>

#include "acl/acl_rt.h"
#include "api/core/entry.h"
#include "base/text.h"
#include "runtime/device/current.h"
#include "runtime/device/device.h"
#include "runtime/device/soc.h"
#include "runtime/memory/blocks.h"
#include "runtime/memory/heap.h"
#include "runtime/memory/shared_file.h"

using namespace belay;
using namespace belay::api;

namespace {

struct MemoryInfo {
  size_t free = 0;
  size_t total = 0;
};

enum class Pages { Any, Huge, Normal, Huge1G };

// A device has one memory. For programs that ask by page size an eighth of it counts as normal pages, used last.
MemoryInfo part_of(const Heap& heap, Pages pages) {
  const size_t total = heap.limit(), used = heap.used();
  const size_t huge = total - total / 8;
  switch (pages) {
    case Pages::Any:
      return {total - used, total};
    case Pages::Huge:
      return {huge - std::min(used, huge), huge};
    case Pages::Normal:
      return {total - huge - (used - std::min(used, huge)), total - huge};
    case Pages::Huge1G:
      break;
  }
  constexpr size_t unit = size_t{1} << 30;
  return {(huge - std::min(used, huge)) / unit * unit, huge / unit * unit};
}

// What an attribute asks for: which kind of memory (null: whatever the chip has) and which pages.
struct Question {
  const char* kind;
  Pages pages;
};

Result<Question> read_attribute(aclrtMemAttr attr) {
  switch (attr) {
    case ACL_DDR_MEM:
      return Question{"DDR", Pages::Any};
    case ACL_HBM_MEM:
      return Question{"HBM", Pages::Any};
    case ACL_DDR_MEM_HUGE:
    case ACL_DDR_MEM_P2P_HUGE:
      return Question{"DDR", Pages::Huge};
    case ACL_DDR_MEM_NORMAL:
    case ACL_DDR_MEM_P2P_NORMAL:
      return Question{"DDR", Pages::Normal};
    case ACL_HBM_MEM_HUGE:
    case ACL_HBM_MEM_P2P_HUGE:
      return Question{"HBM", Pages::Huge};
    case ACL_HBM_MEM_NORMAL:
    case ACL_HBM_MEM_P2P_NORMAL:
      return Question{"HBM", Pages::Normal};
    case ACL_HBM_MEM_HUGE1G:
    case ACL_HBM_MEM_P2P_HUGE1G:
      return Question{"HBM", Pages::Huge1G};
    case ACL_MEM_NORMAL:
    case ACL_MEM_P2P_NORMAL:
      return Question{nullptr, Pages::Normal};
    case ACL_MEM_HUGE:
    case ACL_MEM_P2P_HUGE:
      return Question{nullptr, Pages::Huge};
    case ACL_MEM_HUGE1G:
    case ACL_MEM_P2P_HUGE1G:
      return Question{nullptr, Pages::Huge1G};
  }
  return Status{ACL_ERROR_RT_PARAM_INVALID, formatted("attr is {}; it must be one of aclrtMemAttr, 0 to 17", attr)};
}

// Chips of the 310 family have DDR, all others HBM.
const char* own_kind() { return std::string_view(soc_name()).starts_with("Ascend310") ? "DDR" : "HBM"; }

Status memory_info(aclrtMemAttr attr, size_t* free, size_t* total) {
  TRY(not_null(free, "free"));
  TRY(not_null(total, "total"));
  const auto context = TRY(current_context());
  const Question question = TRY(read_attribute(attr));
  const bool here = !question.kind || std::string_view(question.kind) == own_kind();
  const MemoryInfo info = here ? part_of(device_heap(context->device().id()), question.pages) : MemoryInfo{};
  *free = info.free;
  *total = info.total;
  return {};
}

Status memory_usage(int32_t device, aclrtMemUsageInfo* infos, size_t room, size_t* written) {
  TRY(not_null(infos, "memUsageInfo"));
  TRY(not_null(written, "outputNum"));
  if (room == 0) return {ACL_ERROR_INVALID_PARAM, "inputNum is 0; it must be at least 1", "EH0009"};
  auto uses = device_heap(TRY(find_device(device))->id()).uses();
  std::ranges::sort(uses, std::greater(), &MemoryUse::current);
  *written = std::min(room, uses.size());
  for (size_t i = 0; i < *written; ++i) {
    infos[i] = {};
    std::strncpy(infos[i].name, uses[i].owner, sizeof infos[i].name - 1);
    infos[i].curMemSize = uses[i].current;
    infos[i].memPeakSize = uses[i].peak;
  }
  return {};
}

aclrtMemLocationType location_type(const Site& site) {
  if (site.place == Place::Pageable || site.place == Place::Unallocated) return ACL_MEM_LOCATION_TYPE_UNREGISTERED;
  if (site.block.kind == BlockKind::Managed) return ACL_MEM_LOCATION_TYPE_MANAGED;
  return site.place == Place::Device ? ACL_MEM_LOCATION_TYPE_DEVICE : ACL_MEM_LOCATION_TYPE_HOST;
}

Status pointer_attributes(const void* pointer, aclrtPtrAttributes* attributes) {
  TRY(not_null(pointer, "ptr"));
  TRY(not_null(attributes, "attributes"));
  const Site site = blocks().locate(pointer);
  *attributes = {};
  attributes->location.type = location_type(site);
  attributes->location.id = site.place == Place::Device ? static_cast<uint32_t>(site.block.device) : 0;
  attributes->pageSize = static_cast<uint32_t>(site.block.size >= kHugePage ? kHugePage : kPage);
  return {};
}

Status address_range(void* pointer, void** base, size_t* size) {
  TRY(not_null(pointer, "ptr"));
  const Site site = blocks().locate(pointer);
  if (site.place == Place::Pageable || site.place == Place::Unallocated)
    return {ACL_ERROR_RT_PARAM_INVALID,
            formatted("ptr {} is {}, not in a block of AscendCL memory", pointer, blocks().describe(pointer))};
  if (base) *base = site.block.base;
  if (size) *size = site.block.size;
  return {};
}

}  // namespace

aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t* free, size_t* total) {
  return entry(
      __func__, [&] { return memory_info(attr, free, total); }, attr, free, total);
}

aclError aclrtGetMemUsageInfo(int32_t deviceId, aclrtMemUsageInfo* memUsageInfo, size_t inputNum, size_t* outputNum) {
  return entry(
      __func__, [&] { return memory_usage(deviceId, memUsageInfo, inputNum, outputNum); }, deviceId, memUsageInfo,
      inputNum, outputNum);
}

aclError aclrtPointerGetAttributes(const void* ptr, aclrtPtrAttributes* attributes) {
  return entry(
      __func__, [&] { return pointer_attributes(ptr, attributes); }, ptr, attributes);
}

aclError aclrtMemGetAddressRange(void* ptr, void** pbase, size_t* psize) {
  return entry(
      __func__, [&] { return address_range(ptr, pbase, psize); }, ptr, pbase, psize);
}
