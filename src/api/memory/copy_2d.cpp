// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "acl/acl_rt.h"
#include "api/core/entry.h"
#include "api/memory/copy_kind.h"
#include "base/device_memory.h"
#include "base/text.h"

using namespace belay;
using namespace belay::api;

namespace {

// `height` rows of `width` bytes; rows start a pitch apart.
struct Rectangle {
  void* dst;
  size_t dpitch;
  const void* src;
  size_t spitch;
  size_t width, height;

  void copy() const {
    const auto timed = timed_copy(width * height);
    auto* to = host_view(static_cast<std::byte*>(dst));
    const auto* from = host_view(static_cast<const std::byte*>(src));
    if (dpitch == width && spitch == width) {
      std::memmove(to, from, width * height);
      return;
    }
    for (size_t row = 0; row < height; ++row) std::memmove(to + row * dpitch, from + row * spitch, width);
  }
};

Status check_pitch(const char* parameter, size_t pitch, const Rectangle& area) {
  if (area.width > pitch)
    return {ACL_ERROR_INVALID_PARAM, formatted("width {} is more than {} {}", area.width, parameter, pitch), "EH0009"};
  size_t bytes = 0;
  if (__builtin_mul_overflow(pitch, area.height, &bytes))
    return {ACL_ERROR_INVALID_PARAM, formatted("{} {} times height {} overflows", parameter, pitch, area.height),
            "EH0009"};
  return {};
}

Status check(const Rectangle& area, aclrtMemcpyKind kind) {
  TRY(not_null(area.dst, "dst"));
  TRY(not_null(area.src, "src"));
  TRY(check_pitch("dpitch", area.dpitch, area));
  TRY(check_pitch("spitch", area.spitch, area));
  switch (kind) {
    case ACL_MEMCPY_HOST_TO_DEVICE:
    case ACL_MEMCPY_DEVICE_TO_HOST:
    case ACL_MEMCPY_DEVICE_TO_DEVICE:
    case ACL_MEMCPY_DEFAULT:
      return {};
    case ACL_MEMCPY_HOST_TO_HOST:
    case ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE:
    case ACL_MEMCPY_INNER_DEVICE_TO_DEVICE:
    case ACL_MEMCPY_INTER_DEVICE_TO_DEVICE:
      break;
  }
  return {ACL_ERROR_INVALID_PARAM,
          formatted("kind is {}; copies of rectangles take 1 (host to device), 2 (device to host), 3 (device to "
                    "device) and 4 (by the addresses)",
                    kind),
          "EH0007"};
}

Status check_ranges(const Rectangle& area, const Site& dst, const Site& src) {
  if (area.height == 0) return {};
  const size_t rows = area.height - 1;
  TRY(blocks().check_range(dst, area.dst, rows * area.dpitch + area.width, "dst", Use::Write));
  return blocks().check_range(src, area.src, rows * area.spitch + area.width, "src");
}

Status copy_2d(const Rectangle& area, aclrtMemcpyKind kind) {
  TRY(check(area, kind));
  TRY(current_context());
  TRY(check_ranges(area, blocks().locate(area.dst), blocks().locate(area.src)));
  const WriteGate::Writing writing;
  area.copy();
  return {};
}

Status copy_2d_async(const Rectangle& area, aclrtMemcpyKind kind, aclrtStream stream) {
  TRY(check(area, kind));
  TRY(check_stream_handle(stream));
  TRY(current_context());
  const Site dst = blocks().locate(area.dst), src = blocks().locate(area.src);
  TRY(check_async_kind(kind, dst.place, src.place));
  TRY(check_ranges(area, dst, src));
  return run_in_order(pageable(dst, src), stream, [area] { area.copy(); });
}

}  // namespace

aclError aclrtMemcpy2d(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height,
                       aclrtMemcpyKind kind) {
  return entry(
      __func__,
      [&] {
        return copy_2d({dst, dpitch, src, spitch, width, height}, kind);
      },
      dst, dpitch, src, spitch, width, height, kind);
}

aclError aclrtMemcpy2dAsync(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height,
                            aclrtMemcpyKind kind, aclrtStream stream) {
  return entry(
      __func__,
      [&] {
        return copy_2d_async({dst, dpitch, src, spitch, width, height}, kind, stream);
      },
      dst, dpitch, src, spitch, width, height, kind, stream);
}
