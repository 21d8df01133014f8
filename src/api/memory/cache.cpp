// SPDX-License-Identifier: Apache-2.0
// Caches, faults and links of real devices. Memory of a simulated device is coherent and never fails: these calls check
// what they are given, and what they ask for already holds.
#include <atomic>

#include "acl/acl_rt.h"
#include "api/core/entry.h"
#include "base/device_memory.h"
#include "base/text.h"
#include "runtime/device/current.h"
#include "runtime/device/device.h"
#include "runtime/memory/blocks.h"

using namespace belay;
using namespace belay::api;

namespace {

struct CmoDescription {
  uint64_t mark;
  void* src;
  size_t size;
};
constexpr uint64_t kMark = 0x79616c65626f6d63;

Status check_device_range(const void* pointer, size_t size, const char* parameter) {
  TRY(not_null(pointer, parameter));
  if (size == 0) return {ACL_ERROR_INVALID_PARAM, "size is 0; it must be at least 1", "EH0009"};
  const Site site = blocks().locate(pointer);
  if (site.place == Place::Pageable)
    return {ACL_ERROR_RT_PARAM_INVALID,
            formatted("{} {} is ordinary host memory; device memory is needed", parameter, pointer)};
  return blocks().check_range(site, pointer, size, parameter);
}

Status make_visible(void* pointer, size_t size) {
  TRY(check_device_range(pointer, size, "devPtr"));
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return {};
}

Status check_cmo_type(aclrtCmoType type) {
  if (type >= ACL_RT_CMO_TYPE_PREFETCH && type <= ACL_RT_CMO_TYPE_FLUSH) return {};
  return {ACL_ERROR_INVALID_PARAM,
          formatted("cmoType is {}; it must be 0 (prefetch), 1 (write back), 2 (invalidate) or 3 (flush)", type),
          "EH0007"};
}

Status queue_fence(aclrtStream stream) {
  return TRY(find_stream(stream))->launch([] { std::atomic_thread_fence(std::memory_order_seq_cst); });
}

Status cache_async(void* src, size_t size, aclrtCmoType type, aclrtStream stream) {
  TRY(not_null(src, "src"));
  TRY(check_cmo_type(type));
  TRY(check_device_range(src, size, "src"));
  return queue_fence(stream);
}

Status describe_cmo(void* desc, void* src, size_t size) {
  TRY(not_null(desc, "cmoDesc"));
  TRY(check_device_range(src, size, "src"));
  TRY(blocks().check_range(desc, sizeof(CmoDescription), "cmoDesc"));
  const CmoDescription description{kMark, src, size};
  write_memory(desc, description);
  return {};
}

Status run_described_cmo(const void* desc) {
  const auto description = read_memory<CmoDescription>(desc);
  if (description.mark != kMark)
    return {ACL_ERROR_RT_PARAM_INVALID,
            formatted("cmoDesc {} was not made by aclrtCmoSetDesc, or was overwritten", desc)};
  return check_device_range(description.src, description.size, "src");
}

Status cache_described(const void* desc, aclrtCmoType type, aclrtStream stream, const void* reserve) {
  TRY(not_null(desc, "cmoDesc"));
  TRY(check_cmo_type(type));
  if (reserve) return {ACL_ERROR_INVALID_PARAM, "reserve must be null", "EH0009"};
  TRY(check_device_range(desc, sizeof(CmoDescription), "cmoDesc"));
  return TRY(find_stream(stream))->launch([desc] { return run_described_cmo(desc); });
}

Status list_faults(int32_t device, aclrtMemUceInfo* infos, size_t room, size_t* count) {
  TRY(not_null(infos, "memUceInfoArray"));
  TRY(not_null(count, "retSize"));
  if (room == 0 || room > MAX_MEM_UCE_INFO_ARRAY_SIZE)
    return {ACL_ERROR_INVALID_PARAM,
            formatted("arraySize is {}; it must be from 1 to {}", room, MAX_MEM_UCE_INFO_ARRAY_SIZE), "EH0009"};
  TRY(find_device(device));
  *count = 0;
  return {};
}

// Memory types of an address list: every address must be device memory of one of the kinds asked for.
Status check_types(void** addresses, uint32_t count, uint32_t types, uint32_t* result, uint32_t reserve) {
  TRY(not_null(addresses, "addrList"));
  TRY(not_null(result, "checkResult"));
  if (count == 0) return {ACL_ERROR_INVALID_PARAM, "size is 0; it must be at least 1", "EH0009"};
  if (reserve != 0) return {ACL_ERROR_INVALID_PARAM, formatted("reserve is {}; it must be 0", reserve), "EH0009"};
  constexpr uint32_t known = ACL_RT_MEM_TYPE_DEV | ACL_RT_MEM_TYPE_DVPP | ACL_RT_MEM_TYPE_RSVD;
  if (types == 0 || (types & ~known))
    return {ACL_ERROR_RT_PARAM_INVALID, formatted("memType is {}; it must be made of ACL_RT_MEM_TYPE_* bits", types)};
  bool all = true;
  for (uint32_t i = 0; i < count; ++i)
    all = all && (types & ACL_RT_MEM_TYPE_DEV) && blocks().locate(addresses[i]).place == Place::Device;
  *result = all;
  return {};
}

// Every simulated device reaches the memory of every other.
Status map_to_peer(void* pointer, size_t size, int32_t peer, uint64_t flags) {
  TRY(check_device_range(pointer, size, "devPtr"));
  TRY(find_device(peer));
  if (flags != 0) return {ACL_ERROR_RT_PARAM_INVALID, formatted("flags is {}; it must be 0", flags)};
  return {};
}

}  // namespace

aclError aclrtMemFlush(void* devPtr, size_t size) {
  return entry(
      __func__, [&] { return make_visible(devPtr, size); }, devPtr, size);
}

aclError aclrtMemInvalidate(void* devPtr, size_t size) {
  return entry(
      __func__, [&] { return make_visible(devPtr, size); }, devPtr, size);
}

aclError aclrtCmoAsync(void* src, size_t size, aclrtCmoType cmoType, aclrtStream stream) {
  return entry(
      __func__, [&] { return cache_async(src, size, cmoType, stream); }, src, size, cmoType, stream);
}

aclError aclrtCmoGetDescSize(size_t* size) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(size, "size"));
        *size = sizeof(CmoDescription);
        return {};
      },
      size);
}

aclError aclrtCmoSetDesc(void* cmoDesc, void* src, size_t size) {
  return entry(
      __func__, [&] { return describe_cmo(cmoDesc, src, size); }, cmoDesc, src, size);
}

aclError aclrtCmoAsyncWithDesc(void* cmoDesc, aclrtCmoType cmoType, aclrtStream stream, const void* reserve) {
  return entry(
      __func__, [&] { return cache_described(cmoDesc, cmoType, stream, reserve); }, cmoDesc, cmoType, stream, reserve);
}

aclError aclrtGetMemUceInfo(int32_t deviceId, aclrtMemUceInfo* memUceInfoArray, size_t arraySize, size_t* retSize) {
  return entry(
      __func__, [&] { return list_faults(deviceId, memUceInfoArray, arraySize, retSize); }, deviceId, memUceInfoArray,
      arraySize, retSize);
}

aclError aclrtCheckMemType(void** addrList, uint32_t size, uint32_t memType, uint32_t* checkResult, uint32_t reserve) {
  return entry(
      __func__, [&] { return check_types(addrList, size, memType, checkResult, reserve); }, addrList, size, memType,
      checkResult, reserve);
}

aclError aclrtMemP2PMap(void* devPtr, size_t size, int32_t dstDevId, uint64_t flags) {
  return entry(
      __func__, [&] { return map_to_peer(devPtr, size, dstDevId, flags); }, devPtr, size, dstDevId, flags);
}
