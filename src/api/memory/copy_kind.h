// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "acl/acl_rt.h"
#include "api/core/entry.h"
#include "base/device_memory.h"
#include "base/timeline.h"
#include "runtime/device/current.h"
#include "runtime/memory/blocks.h"
#include "runtime/stream/write_gate.h"

namespace belay::api {

// 100000 unless the kind is one that copies between any two addresses accept: 0 to 5.
Status check_copy_kind(aclrtMemcpyKind kind);

// Compares the kind of an asynchronous copy with where the two sides lie (runtime rules: between known places it is
// only a hint; with a pageable side it must match). 107000 when it does not, 207000 for host to host, whatever was
// asked.
Status check_async_kind(aclrtMemcpyKind kind, Place dst, Place src);

// 107000 when the destination is smaller than the copy.
Status check_copy_room(size_t dest_max, size_t count);

// 107017 when a stream handle is dead; null names the default stream and is not asked about.
Status check_stream_handle(aclrtStream stream);

inline bool pageable(const Site& dst, const Site& src) {
  return dst.place == Place::Pageable || src.place == Place::Pageable;
}

// A copy of so many bytes, for the timeline, from here to the end of the block.
inline timeline::Scope timed_copy(size_t bytes) {
  return {timeline::Kind::Copy, [bytes](timeline::Span& span) { span.bytes = static_cast<double>(bytes); }};
}

// The bytes are there when it returns; they may overlap.
inline void copy_bytes(void* dst, const void* src, size_t count) {
  const auto timed = timed_copy(count);
  copy_memory(dst, src, count);
}

// Does work on memory in the order of the stream. `now`: pageable memory takes part, so the stream's work is waited for
// (and its errors are returned) and the rest happens before the call returns.
template <class Work>
Status run_in_order(bool now, aclrtStream handle, Work work) {
  if (!now) return TRY(find_stream(handle))->launch(std::move(work));
  const auto stream = TRY(find_any_stream(handle));
  TRY(stream->synchronize());
  const WriteGate::Writing writing;
  work();
  return {};
}

}  // namespace belay::api
