// SPDX-License-Identifier: Apache-2.0
#include "api/memory/copy_kind.h"

#include "base/text.h"

namespace belay::api {
namespace {

const char* name(aclrtMemcpyKind kind) {
  switch (kind) {
    case ACL_MEMCPY_HOST_TO_HOST:
      return "ACL_MEMCPY_HOST_TO_HOST";
    case ACL_MEMCPY_HOST_TO_DEVICE:
      return "ACL_MEMCPY_HOST_TO_DEVICE";
    case ACL_MEMCPY_DEVICE_TO_HOST:
      return "ACL_MEMCPY_DEVICE_TO_HOST";
    case ACL_MEMCPY_DEVICE_TO_DEVICE:
      return "ACL_MEMCPY_DEVICE_TO_DEVICE";
    case ACL_MEMCPY_DEFAULT:
      return "ACL_MEMCPY_DEFAULT";
    case ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE:
      return "ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE";
    case ACL_MEMCPY_INNER_DEVICE_TO_DEVICE:
      return "ACL_MEMCPY_INNER_DEVICE_TO_DEVICE";
    case ACL_MEMCPY_INTER_DEVICE_TO_DEVICE:
      return "ACL_MEMCPY_INTER_DEVICE_TO_DEVICE";
  }
  return "an unknown kind";
}

const char* name(Place place) {
  switch (place) {
    case Place::Device:
      return "device memory";
    case Place::Pinned:
      return "pinned host memory";
    case Place::Pageable:
      return "pageable host memory";
    case Place::Unallocated:
      return "unallocated memory";
  }
  return "memory";
}

// The kinds that are accepted when one side is pageable.
bool matches(aclrtMemcpyKind kind, Place dst, Place src) {
  if (kind == ACL_MEMCPY_DEFAULT || src == dst) return true;
  if (dst == Place::Device)
    return kind == ACL_MEMCPY_HOST_TO_DEVICE || kind == ACL_MEMCPY_DEVICE_TO_DEVICE ||
           kind == ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE;
  if (src == Place::Device) return kind == ACL_MEMCPY_DEVICE_TO_HOST || kind == ACL_MEMCPY_DEVICE_TO_DEVICE;
  if (src == Place::Pinned) return kind == ACL_MEMCPY_HOST_TO_HOST || kind == ACL_MEMCPY_HOST_TO_DEVICE;
  return kind == ACL_MEMCPY_HOST_TO_HOST || kind == ACL_MEMCPY_DEVICE_TO_HOST;
}

}  // namespace

Status check_copy_kind(aclrtMemcpyKind kind) {
  if (kind >= ACL_MEMCPY_HOST_TO_HOST && kind <= ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE) return {};
  return {ACL_ERROR_INVALID_PARAM, formatted("kind is {}; this call takes 0 to 5", kind), "EH0007"};
}

Status check_async_kind(aclrtMemcpyKind kind, Place dst, Place src) {
  const bool known = dst != Place::Pageable && src != Place::Pageable;
  if (!known && !matches(kind, dst, src))
    return {ACL_ERROR_RT_PARAM_INVALID,
            formatted("kind is {}, but src is {} and dst is {}", name(kind), name(src), name(dst))};
  if (dst == Place::Device || src == Place::Device) return {};
  return {ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
          formatted("src is {} and dst is {}: there are no asynchronous copies from host to host; use aclrtMemcpy",
                    name(src), name(dst))};
}

Status check_copy_room(size_t dest_max, size_t count) {
  if (count <= dest_max) return {};
  return {ACL_ERROR_RT_PARAM_INVALID, formatted("count {} is more than destMax {}", count, dest_max)};
}

Status check_stream_handle(aclrtStream stream) {
  if (stream) TRY(find_any_stream(stream));
  return {};
}

}  // namespace belay::api
