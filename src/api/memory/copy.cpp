// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "acl/acl_rt.h"
#include "api/core/entry.h"
#include "api/memory/copy_kind.h"
#include "base/device_memory.h"

using namespace belay;
using namespace belay::api;

namespace {

Status check_pointers(const void* dst, const void* src) {
  TRY(not_null(dst, "dst"));
  return not_null(src, "src");
}

Status check_ranges(const Site& at_dst, const void* dst, const Site& at_src, const void* src, size_t count) {
  TRY(blocks().check_range(at_dst, dst, count, "dst", Use::Write));
  return blocks().check_range(at_src, src, count, "src");
}

Status copy(void* dst, size_t dest_max, const void* src, size_t count, aclrtMemcpyKind kind) {
  if (count == 0) return {};
  TRY(check_pointers(dst, src));
  TRY(check_copy_kind(kind));
  TRY(check_copy_room(dest_max, count));
  if (dst == src) return {};
  TRY(current_context());
  TRY(check_ranges(blocks().locate(dst), dst, blocks().locate(src), src, count));
  const WriteGate::Writing writing;
  copy_bytes(dst, src, count);
  return {};
}

// The source may be reused as soon as the call returns.
Status copy_buffered(void* dst, const void* src, size_t count, aclrtStream stream) {
  const auto target = TRY(find_stream(stream));
  std::unique_ptr<std::byte[]> buffer(new std::byte[count]);
  copy_memory(buffer.get(), src, count);
  return target->launch([dst, count, buffer = std::move(buffer)] { copy_bytes(dst, buffer.get(), count); });
}

Status copy_async(void* dst, size_t dest_max, const void* src, size_t count, aclrtMemcpyKind kind, aclrtStream stream) {
  if (count == 0) return {};
  TRY(check_pointers(dst, src));
  TRY(check_copy_kind(kind));
  TRY(check_stream_handle(stream));
  TRY(check_copy_room(dest_max, count));
  TRY(current_context());
  const Site at_dst = blocks().locate(dst), at_src = blocks().locate(src);
  TRY(check_async_kind(kind, at_dst.place, at_src.place));
  if (dst == src) return {};
  TRY(check_ranges(at_dst, dst, at_src, src, count));
  if (kind == ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE && at_src.place != Place::Device)
    return copy_buffered(dst, src, count, stream);
  return run_in_order(pageable(at_dst, at_src), stream, [=] { copy_bytes(dst, src, count); });
}

}  // namespace

aclError aclrtMemcpy(void* dst, size_t destMax, const void* src, size_t count, aclrtMemcpyKind kind) {
  return entry(
      __func__, [&] { return copy(dst, destMax, src, count, kind); }, dst, destMax, src, count, kind);
}

aclError aclrtMemcpyAsync(void* dst, size_t destMax, const void* src, size_t count, aclrtMemcpyKind kind,
                          aclrtStream stream) {
  return entry(
      __func__, [&] { return copy_async(dst, destMax, src, count, kind, stream); }, dst, destMax, src, count, kind,
      stream);
}

aclError aclrtMemcpyAsyncWithCondition(void* dst, size_t destMax, const void* src, size_t count, aclrtMemcpyKind kind,
                                       aclrtStream stream) {
  return entry(
      __func__, [&] { return copy_async(dst, destMax, src, count, kind, stream); }, dst, destMax, src, count, kind,
      stream);
}
