// SPDX-License-Identifier: Apache-2.0
#include "runtime/stream/reduce.h"

#include "acl/acl_rt.h"
#include "api/core/entry.h"
#include "base/device_memory.h"
#include "base/text.h"
#include "runtime/device/current.h"
#include "runtime/memory/blocks.h"

using namespace belay;
using namespace belay::api;

namespace {

Result<Reduction> read_kind(aclrtReduceKind kind) {
  switch (kind) {
    case ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM:
      return Reduction::Sum;
    case ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX:
      return Reduction::Max;
    case ACL_RT_MEMCPY_SDMA_AUTOMATIC_MIN:
      return Reduction::Min;
    case ACL_RT_MEMCPY_SDMA_AUTOMATIC_EQUAL:
      return Reduction::Equal;
  }
  return Status{ACL_ERROR_INVALID_PARAM,
                formatted("kind is {}; it must be 10 (sum), 11 (max), 12 (min) or 13 (equal)", kind), "EH0007"};
}

Status check_side(const void* pointer, size_t bytes, size_t element, const char* parameter, Use use) {
  if (reinterpret_cast<uintptr_t>(pointer) % element != 0)
    return {ACL_ERROR_RT_PARAM_INVALID,
            formatted("{} {} is not a multiple of the {} bytes of an element", parameter, pointer, element)};
  const Site site = blocks().locate(pointer);
  if (site.place == Place::Pageable)
    return {ACL_ERROR_RT_PARAM_INVALID,
            formatted("{} {} is ordinary host memory, which the device does not reach", parameter, pointer)};
  return blocks().check_range(site, pointer, bytes, parameter, use);
}

Status reduce_async(void* dst, const void* src, uint64_t bytes, aclrtReduceKind kind, aclDataType type,
                    aclrtStream stream, const void* reserve) {
  TRY(not_null(dst, "dst"));
  TRY(not_null(src, "src"));
  const Reduction op = TRY(read_kind(kind));
  if (reserve) return {ACL_ERROR_INVALID_PARAM, "reserve must be null", "EH0009"};
  const auto target = TRY(find_stream(stream));
  const size_t element = reduced_element_size(type);
  if (element == 0)
    return {ACL_ERROR_RT_PARAM_INVALID,
            formatted("type is {}; int8, int16, int32, float16, bfloat16 and float32 can be reduced", type)};
  if (bytes == 0 || bytes % element != 0)
    return {
        ACL_ERROR_RT_PARAM_INVALID,
        formatted("count is {} bytes; it must be a multiple of the {} bytes of an element, and not 0", bytes, element)};
  TRY(check_side(dst, bytes, element, "dst", Use::Write));
  TRY(check_side(src, bytes, element, "src", Use::Read));
  return target->launch([=] { reduce(host_view(dst), host_view(src), bytes, op, type); });
}

}  // namespace

aclError aclrtReduceAsync(void* dst, const void* src, uint64_t count, aclrtReduceKind kind, aclDataType type,
                          aclrtStream stream, void* reserve) {
  return entry(
      __func__, [&] { return reduce_async(dst, src, count, kind, type, stream, reserve); }, dst, src, count, kind, type,
      stream, reserve);
}
