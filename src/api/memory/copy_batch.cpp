// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <vector>

#include "acl/acl_rt.h"
#include "api/core/entry.h"
#include "api/memory/copy_kind.h"
#include "base/text.h"
#include "runtime/bad_parameter.h"

using namespace belay;
using namespace belay::api;

namespace {

// The arguments that all batched copies share.
struct Batch {
  void** dsts;
  size_t* dest_maxs;
  void** srcs;
  size_t* sizes;
  size_t count;
  aclrtMemcpyBatchAttr* attrs;
  size_t* attr_indexes;  // attribute i holds from copy attr_indexes[i] on
  size_t attr_count;
};

struct Copy {
  void* dst;
  const void* src;
  size_t bytes;
};

struct Plan {
  std::vector<Copy> copies;
  bool pageable = false;

  void run() const {
    for (const Copy& copy : copies) copy_bytes(copy.dst, copy.src, copy.bytes);
  }
};

Status check_arrays(const Batch& batch) {
  TRY(not_null(batch.dsts, "dsts"));
  TRY(not_null(batch.dest_maxs, "destMaxs"));
  TRY(not_null(batch.srcs, "srcs"));
  TRY(not_null(batch.sizes, "sizes"));
  TRY(not_null(batch.attrs, "attrs"));
  return not_null(batch.attr_indexes, "attrsIndexes");
}

Status check_indexes(const Batch& batch) {
  if (batch.count == 0) return bad_parameter("numBatches is 0; it must be at least 1");
  if (batch.attr_count == 0 || batch.attr_count > batch.count)
    return bad_parameter(
        formatted("numAttrs is {}; it must be from 1 to numBatches, {}", batch.attr_count, batch.count));
  if (batch.attr_indexes[0] != 0)
    return bad_parameter("attrsIndexes[0] must be 0: the first attribute holds from the first copy on");
  for (size_t i = 1; i < batch.attr_count; ++i)
    if (batch.attr_indexes[i] <= batch.attr_indexes[i - 1] || batch.attr_indexes[i] >= batch.count)
      return bad_parameter(formatted("attrsIndexes[{}] is {}; the indexes must rise and be below {}", i,
                                     batch.attr_indexes[i], batch.count));
  return {};
}

bool lies_there(const Site& site, const aclrtMemLocation& location) {
  switch (location.type) {
    case ACL_MEM_LOCATION_TYPE_HOST:
    case ACL_MEM_LOCATION_TYPE_HOST_NUMA:
      return site.place == Place::Pinned || site.place == Place::Pageable;
    case ACL_MEM_LOCATION_TYPE_DEVICE:
      return site.place == Place::Device && site.block.device == static_cast<int>(location.id);
    case ACL_MEM_LOCATION_TYPE_UNREGISTERED:
      return site.place == Place::Pageable;
    case ACL_MEM_LOCATION_TYPE_MANAGED:
      return site.place == Place::Device && site.block.kind == BlockKind::Managed;
  }
  return false;
}

Status check_side(const Site& site, const void* pointer, size_t bytes, const aclrtMemLocation& location,
                  const char* parameter, Use use) {
  TRY(blocks().check_range(site, pointer, bytes, parameter, use));
  if (lies_there(site, location)) return {};
  return bad_parameter(formatted("{} {} is {}, but its attribute says location type {}, id {}", parameter, pointer,
                                 blocks().describe(pointer), location.type, location.id));
}

Status add_copy(const Batch& batch, size_t i, const aclrtMemcpyBatchAttr& attr, bool async, Plan& plan) {
  const Copy copy{batch.dsts[i], batch.srcs[i], batch.sizes[i]};
  TRY(not_null(copy.dst, "dst"));
  TRY(not_null(copy.src, "src"));
  if (copy.bytes == 0) return bad_parameter("its size is 0");
  TRY(check_copy_room(batch.dest_maxs[i], copy.bytes));
  const Site dst = blocks().locate(copy.dst), src = blocks().locate(copy.src);
  TRY(check_side(dst, copy.dst, copy.bytes, attr.dstLoc, "dst", Use::Write));
  TRY(check_side(src, copy.src, copy.bytes, attr.srcLoc, "src", Use::Read));
  if (async) TRY(check_async_kind(ACL_MEMCPY_DEFAULT, dst.place, src.place));
  plan.pageable = plan.pageable || pageable(dst, src);
  plan.copies.push_back(copy);
  return {};
}

// Looks at every copy before the first is done. `fail_index`: the copy that is wrong, or SIZE_MAX.
Result<Plan> plan(const Batch& batch, bool async, size_t& fail_index) {
  fail_index = SIZE_MAX;
  TRY(check_arrays(batch));
  TRY(check_indexes(batch));
  TRY(current_context());
  Plan made;
  size_t attr = 0;
  for (size_t i = 0; i < batch.count; ++i) {
    if (attr + 1 < batch.attr_count && batch.attr_indexes[attr + 1] == i) ++attr;
    Status status = add_copy(batch, i, batch.attrs[attr], async, made);
    if (status.ok()) continue;
    fail_index = i;
    status.message = formatted("copy {}: {}", i, status.message);
    return status;
  }
  return made;
}

Status copy_batch(const Batch& batch, size_t& fail_index) {
  const auto made = TRY(plan(batch, false, fail_index));
  const WriteGate::Writing writing;
  made.run();
  return {};
}

Status copy_batch_async(const Batch& batch, aclrtStream stream, size_t& fail_index) {
  fail_index = SIZE_MAX;
  TRY(check_arrays(batch));
  TRY(check_stream_handle(stream));
  auto made = TRY(plan(batch, true, fail_index));
  const bool now = made.pageable;
  return run_in_order(now, stream, [made = std::move(made)] { made.run(); });
}

}  // namespace

aclError aclrtMemcpyBatch(void** dsts, size_t* destMaxs, void** srcs, size_t* sizes, size_t numBatches,
                          aclrtMemcpyBatchAttr* attrs, size_t* attrsIndexes, size_t numAttrs, size_t* failIndex) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(failIndex, "failIndex"));
        return copy_batch({dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs}, *failIndex);
      },
      dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs, failIndex);
}

aclError aclrtMemcpyBatchV2(void** dsts, size_t* destMaxs, void** srcs, size_t* sizes, size_t numBatches,
                            aclrtMemcpyBatchAttr* attrs, size_t* attrsIndexes, size_t numAttrs) {
  return entry(
      __func__,
      [&]() -> Status {
        size_t ignored = 0;
        return copy_batch({dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs}, ignored);
      },
      dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs);
}

aclError aclrtMemcpyBatchAsync(void** dsts, size_t* destMaxs, void** srcs, size_t* sizes, size_t numBatches,
                               aclrtMemcpyBatchAttr* attrs, size_t* attrsIndexes, size_t numAttrs, size_t* failIndex,
                               aclrtStream stream) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(failIndex, "failIndex"));
        return copy_batch_async({dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs}, stream,
                                *failIndex);
      },
      dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs, failIndex, stream);
}

aclError aclrtMemcpyBatchAsyncV2(void** dsts, size_t* destMaxs, void** srcs, size_t* sizes, size_t numBatches,
                                 aclrtMemcpyBatchAttr* attrs, size_t* attrsIndexes, size_t numAttrs,
                                 aclrtStream stream) {
  return entry(
      __func__,
      [&]() -> Status {
        size_t ignored = 0;
        return copy_batch_async({dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs}, stream,
                                ignored);
      },
      dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs, stream);
}
