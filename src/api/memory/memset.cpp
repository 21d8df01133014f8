// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "acl/acl_rt.h"
#include "api/core/entry.h"
#include "api/memory/copy_kind.h"
#include "base/device_memory.h"
#include "base/text.h"

using namespace belay;
using namespace belay::api;

namespace {

Status check_fill(const void* pointer, size_t max_count, size_t count) {
  TRY(not_null(pointer, "devPtr"));
  if (count <= max_count) return {};
  return {ACL_ERROR_RT_PARAM_INVALID, formatted("count {} is more than maxCount {}", count, max_count)};
}

Status fill(void* pointer, size_t max_count, int32_t value, size_t count) {
  if (count == 0) return {};
  TRY(check_fill(pointer, max_count, count));
  TRY(current_context());
  TRY(blocks().check_range(pointer, count, "devPtr", Use::Write));
  const WriteGate::Writing writing;
  fill_memory(pointer, value, count);
  return {};
}

Status fill_async(void* pointer, size_t max_count, int32_t value, size_t count, aclrtStream stream) {
  if (count == 0) return {};
  TRY(check_fill(pointer, max_count, count));
  TRY(check_stream_handle(stream));
  TRY(current_context());
  const Site site = blocks().locate(pointer);
  TRY(blocks().check_range(site, pointer, count, "devPtr", Use::Write));
  return run_in_order(site.place == Place::Pageable, stream, [=] { fill_memory(pointer, value, count); });
}

Status refused(std::string reason) { return {ACL_ERROR_INVALID_PARAM, std::move(reason), "EH0009"}; }

Status check_fill_words(void* pointer, size_t size, size_t words) {
  TRY(not_null(pointer, "ptr"));
  if (reinterpret_cast<uintptr_t>(pointer) % sizeof(uint32_t) != 0)
    return refused(formatted("ptr {} is not a multiple of 4", pointer));
  if (words > size / sizeof(uint32_t))
    return refused(
        formatted("N is {}, but memSize {} holds {} words of 4 bytes", words, size, size / sizeof(uint32_t)));
  if (blocks().locate(pointer).place == Place::Pageable)
    return refused(
        formatted("ptr {} is ordinary host memory; only memory allocated or registered with AscendCL can "
                  "be set",
                  pointer));
  return {};
}

Status fill_words(void* pointer, size_t size, uint32_t value, size_t words) {
  TRY(check_fill_words(pointer, size, words));
  TRY(current_context());
  TRY(blocks().check_range(pointer, words * sizeof(uint32_t), "ptr", Use::Write));
  const WriteGate::Writing writing;
  std::fill_n(host_view(static_cast<uint32_t*>(pointer)), words, value);
  return {};
}

Status fill_words_async(void* pointer, size_t size, uint32_t value, size_t words, aclrtStream stream) {
  TRY(check_fill_words(pointer, size, words));
  TRY(check_stream_handle(stream));
  TRY(current_context());
  TRY(blocks().check_range(pointer, words * sizeof(uint32_t), "ptr", Use::Write));
  return TRY(find_stream(stream))->launch([=] {
    std::fill_n(host_view(static_cast<uint32_t*>(pointer)), words, value);
  });
}

}  // namespace

aclError aclrtMemset(void* devPtr, size_t maxCount, int32_t value, size_t count) {
  return entry(
      __func__, [&] { return fill(devPtr, maxCount, value, count); }, devPtr, maxCount, value, count);
}

aclError aclrtMemsetAsync(void* devPtr, size_t maxCount, int32_t value, size_t count, aclrtStream stream) {
  return entry(
      __func__, [&] { return fill_async(devPtr, maxCount, value, count, stream); }, devPtr, maxCount, value, count,
      stream);
}

aclError aclrtMemsetD32(void* ptr, size_t memSize, uint32_t value, size_t N) {
  return entry(
      __func__, [&] { return fill_words(ptr, memSize, value, N); }, ptr, memSize, value, N);
}

aclError aclrtMemsetD32Async(void* ptr, size_t memSize, uint32_t value, size_t N, aclrtStream stream) {
  return entry(
      __func__, [&] { return fill_words_async(ptr, memSize, value, N, stream); }, ptr, memSize, value, N, stream);
}
