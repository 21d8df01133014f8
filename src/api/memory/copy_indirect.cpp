// SPDX-License-Identifier: Apache-2.0
// Copies whose addresses lie in device memory and are read when the stream reaches them.
#include "acl/acl_rt.h"
#include "api/core/entry.h"
#include "api/memory/copy_kind.h"
#include "base/device_memory.h"
#include "base/text.h"

using namespace belay;
using namespace belay::api;

namespace {

// What a program keeps for us in device memory.
struct CopyDescription {
  uint64_t mark;
  const void* src;
  void* dst;
  size_t count;
};
constexpr uint64_t kMark = 0x79616c6562797063;

Status check_device_kind(aclrtMemcpyKind kind) {
  if (kind == ACL_MEMCPY_DEVICE_TO_DEVICE || kind == ACL_MEMCPY_INNER_DEVICE_TO_DEVICE ||
      kind == ACL_MEMCPY_INTER_DEVICE_TO_DEVICE)
    return {};
  return {ACL_ERROR_INVALID_PARAM,
          formatted("kind is {}; this call copies between devices: 3, 6 (within one) or 7 (from one to another)", kind),
          "EH0007"};
}

// What the stream reads later must lie where the device finds it.
Status check_reached(const void* pointer, size_t bytes, const char* parameter) {
  const Site site = blocks().locate(pointer);
  if (site.place == Place::Pageable)
    return {ACL_ERROR_RT_PARAM_INVALID,
            formatted("{} {} is ordinary host memory; it is read when the stream gets there, and must be device memory",
                      parameter, pointer)};
  return blocks().check_range(site, pointer, bytes, parameter);
}

Status copy_checked(void* dst, const void* src, size_t count) {
  if (!dst || !src) return {ACL_ERROR_RT_PARAM_INVALID, "the address that the copy finds in device memory is null"};
  TRY(blocks().check_range(dst, count, "dst", Use::Write));
  TRY(blocks().check_range(src, count, "src"));
  copy_bytes(dst, src, count);
  return {};
}

Status describe(void* desc, aclrtMemcpyKind kind, const void* src, void* dst, size_t count, const void* config) {
  TRY(not_null(desc, "desc"));
  TRY(check_device_kind(kind));
  TRY(not_null(src, "srcAddr"));
  TRY(not_null(dst, "dstAddr"));
  if (config) return {ACL_ERROR_INVALID_PARAM, "config is reserved and must be null", "EH0009"};
  if (count == 0) return {ACL_ERROR_RT_PARAM_INVALID, "count is 0; it must be at least 1"};
  TRY(blocks().check_range(desc, sizeof(CopyDescription), "desc"));
  TRY(blocks().check_range(src, count, "srcAddr"));
  TRY(blocks().check_range(dst, count, "dstAddr", Use::Write));
  const CopyDescription description{kMark, src, dst, count};
  write_memory(desc, description);
  return {};
}

Status run_description(const void* desc) {
  const auto description = read_memory<CopyDescription>(desc);
  if (description.mark != kMark)
    return {ACL_ERROR_RT_PARAM_INVALID,
            formatted("desc {} was not made by aclrtSetMemcpyDesc, or was overwritten", desc)};
  return copy_checked(description.dst, description.src, description.count);
}

Status copy_described(const void* desc, aclrtMemcpyKind kind, aclrtStream stream) {
  TRY(not_null(desc, "desc"));
  TRY(check_device_kind(kind));
  const auto target = TRY(find_stream(stream));
  TRY(check_reached(desc, sizeof(CopyDescription), "desc"));
  return target->launch([desc] { return run_description(desc); });
}

struct OffsetCopy {
  void** dst;
  size_t dst_offset;
  const void** src;
  size_t src_offset;
  size_t count;

  Status run() const {
    auto* const to = read_memory<std::byte*>(dst);
    const auto* const from = read_memory<const std::byte*>(src);
    if (!to || !from) return copy_checked(to, from, count);
    return copy_checked(to + dst_offset, from + src_offset, count);
  }
};

Status copy_with_offset(const OffsetCopy& copy, size_t dest_max, aclrtMemcpyKind kind, aclrtStream stream) {
  if (copy.count == 0) return {};
  TRY(not_null(copy.dst, "dst"));
  TRY(not_null(copy.src, "src"));
  TRY(check_device_kind(kind));
  TRY(check_stream_handle(stream));
  TRY(check_copy_room(dest_max, copy.count));
  TRY(current_context());
  TRY(check_reached(copy.dst, sizeof(void*), "dst"));
  TRY(check_reached(copy.src, sizeof(void*), "src"));
  return TRY(find_stream(stream))->launch([copy] { return copy.run(); });
}

}  // namespace

aclError aclrtGetMemcpyDescSize(aclrtMemcpyKind kind, size_t* descSize) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(descSize, "descSize"));
        TRY(check_device_kind(kind));
        *descSize = sizeof(CopyDescription);
        return {};
      },
      kind, descSize);
}

aclError aclrtSetMemcpyDesc(void* desc, aclrtMemcpyKind kind, void* srcAddr, void* dstAddr, size_t count,
                            void* config) {
  return entry(
      __func__, [&] { return describe(desc, kind, srcAddr, dstAddr, count, config); }, desc, kind, srcAddr, dstAddr,
      count, config);
}

aclError aclrtMemcpyAsyncWithDesc(void* desc, aclrtMemcpyKind kind, aclrtStream stream) {
  return entry(
      __func__, [&] { return copy_described(desc, kind, stream); }, desc, kind, stream);
}

aclError aclrtMemcpyAsyncWithOffset(void** dst, size_t destMax, size_t dstDataOffset, const void** src, size_t count,
                                    size_t srcDataOffset, aclrtMemcpyKind kind, aclrtStream stream) {
  return entry(
      __func__,
      [&] {
        return copy_with_offset({dst, dstDataOffset, src, srcDataOffset, count}, destMax, kind, stream);
      },
      dst, destMax, dstDataOffset, src, count, srcDataOffset, kind, stream);
}
