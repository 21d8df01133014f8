// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <set>
#include <vector>

#include "acl/acl_rt.h"
#include "api/core/entry.h"
#include "base/text.h"
#include "runtime/bad_parameter.h"
#include "runtime/device/current.h"
#include "runtime/device/device.h"
#include "runtime/memory/heap.h"
#include "runtime/memory/managed_ranges.h"

using namespace belay;
using namespace belay::api;

namespace {

// Ids in answers: devices from 0 on, else these.
constexpr int32_t kHost = -1, kNobody = -2;

Status allocate(void** pointer, uint64_t size, uint32_t flag) {
  TRY(not_null(pointer, "ptr"));
  if (size == 0) return {ACL_ERROR_INVALID_PARAM, "size is 0; it must be at least 1", "EH0009"};
  if (flag != ACL_RT_MEM_ATTACH_GLOBAL)
    return bad_parameter(formatted("flag is {}; it must be ACL_RT_MEM_ATTACH_GLOBAL (1)", flag));
  const auto charged = padded_size(size);
  if (!charged) return {ACL_ERROR_INVALID_PARAM, formatted("size {} is too large", size), "EH0009"};
  const auto context = TRY(current_context());
  Heap& heap = device_heap(context->device().id());
  *pointer = TRY(heap.allocate(size, *charged, "aclrtMemAllocManaged", BlockKind::Managed));
  return {};
}

Result<ManagedPlace> read_location(const aclrtMemManagedLocation& location) {
  switch (location.type) {
    case ACL_MEM_LOCATIONTYPE_DEVICE:
      TRY(find_device(location.id));
      return ManagedPlace{location.type, location.id};
    case ACL_MEM_LOCATIONTYPE_HOST:
    case ACL_MEM_LOCATIONTYPE_HOST_NUMA_CURRENT:
      return ManagedPlace{location.type, 0};
    case ACL_MEM_LOCATIONTYPE_HOST_NUMA:
      return ManagedPlace{location.type, location.id};
    case ACL_MEM_LOCATIONTYPE_INVALID:
      break;
  }
  return bad_parameter(formatted("location.type is {}; it must be 1 (device) or 2, 3, 4 (host)", location.type));
}

int32_t id_of(const ManagedPlace& place) { return place.type == ACL_MEM_LOCATIONTYPE_DEVICE ? place.id : kHost; }

Status check_size(const void* pointer, uint64_t size) {
  TRY(not_null(pointer, "ptr"));
  if (size == 0) return {ACL_ERROR_INVALID_PARAM, "size is 0; it must be at least 1", "EH0009"};
  return {};
}

Status advise(const void* pointer, uint64_t size, aclrtMemManagedAdviseType advice,
              const aclrtMemManagedLocation& location) {
  TRY(check_size(pointer, size));
  const auto change = [&](auto how) { return managed_ranges().change(pointer, size, how); };
  switch (advice) {
    case ACL_MEM_ADVISE_SET_READ_MOSTLY:
      return change([](ManagedTraits& traits) { traits.read_mostly = true; });
    case ACL_MEM_ADVISE_UNSET_READ_MOSTLY:
      return change([](ManagedTraits& traits) { traits.read_mostly = false; });
    case ACL_MEM_ADVISE_SET_PREFERRED_LOCATION: {
      const auto place = TRY(read_location(location));
      return change([=](ManagedTraits& traits) { traits.preferred = place; });
    }
    case ACL_MEM_ADVISE_UNSET_PREFERRED_LOCATION:
      return change([](ManagedTraits& traits) { traits.preferred = {}; });
    case ACL_MEM_ADVISE_SET_ACCESSED_BY: {
      const int32_t id = id_of(TRY(read_location(location)));
      return change([=](ManagedTraits& traits) { traits.accessed_by.insert(id); });
    }
    case ACL_MEM_ADVISE_UNSET_ACCESSED_BY: {
      const int32_t id = id_of(TRY(read_location(location)));
      return change([=](ManagedTraits& traits) { traits.accessed_by.erase(id); });
    }
  }
  return {ACL_ERROR_INVALID_PARAM, formatted("advise is {}; it must be 0 to 5", advice), "EH0007"};
}

Status prefetch(const void* pointer, size_t size, const aclrtMemManagedLocation& location, Stream& stream) {
  TRY(check_size(pointer, size));
  const auto place = TRY(read_location(location));
  TRY(managed_ranges().traits(pointer, size));
  return stream.launch([=] {
    return managed_ranges().change(pointer, size, [=](ManagedTraits& traits) { traits.last_prefetch = place; });
  });
}

Status check_flags(uint64_t flags) {
  if (flags == 0) return {};
  return bad_parameter(formatted("flags is {}; it must be 0", flags));
}

Status prefetch_one(const void* pointer, size_t size, const aclrtMemManagedLocation& location, uint32_t flags,
                    aclrtStream stream) {
  TRY(not_null(pointer, "ptr"));
  const auto target = TRY(find_stream(stream));
  TRY(check_flags(flags));
  return prefetch(pointer, size, location, *target);
}

// Location i holds from range indexes[i] on.
Status prefetch_batch(const void** pointers, const size_t* sizes, size_t count,
                      const aclrtMemManagedLocation* locations, const size_t* indexes, size_t location_count,
                      uint64_t flags, aclrtStream stream) {
  TRY(not_null(pointers, "ptrs"));
  TRY(not_null(sizes, "sizes"));
  TRY(not_null(locations, "prefetchLocs"));
  TRY(not_null(indexes, "prefetchLocIdxs"));
  const auto target = TRY(find_stream(stream));
  TRY(check_flags(flags));
  if (count == 0) return bad_parameter("count is 0; it must be at least 1");
  if (location_count == 0 || location_count > count || indexes[0] != 0)
    return bad_parameter(formatted("numPrefetchLocs is {}; it must be from 1 to count, {}, and the first index 0",
                                   location_count, count));
  for (size_t i = 1; i < location_count; ++i)
    if (indexes[i] <= indexes[i - 1] || indexes[i] >= count)
      return bad_parameter(
          formatted("prefetchLocIdxs[{}] is {}; indexes must rise and be below {}", i, indexes[i], count));
  size_t location = 0;
  for (size_t i = 0; i < count; ++i) {
    if (location + 1 < location_count && indexes[location + 1] == i) ++location;
    TRY(prefetch(pointers[i], sizes[i], locations[location], *target));
  }
  return {};
}

Status answer(int32_t value, void* data, size_t size) {
  if (size != sizeof value)
    return bad_parameter(formatted("dataSize is {}; this attribute is one 32-bit number", size));
  std::memcpy(data, &value, sizeof value);
  return {};
}

// As many as there is room for; the rest of the room says nobody.
Status answer(const std::set<int32_t>& list, void* data, size_t size) {
  if (size == 0 || size % sizeof(int32_t) != 0)
    return bad_parameter(formatted("dataSize is {}; this attribute is a list of 32-bit numbers", size));
  std::vector<int32_t> ids(size / sizeof(int32_t), kNobody);
  std::copy_n(list.begin(), std::min(ids.size(), list.size()), ids.begin());
  std::memcpy(data, ids.data(), size);
  return {};
}

Status query(aclrtMemManagedRangeAttribute attribute, const void* pointer, size_t size, void* data, size_t data_size) {
  TRY(check_size(pointer, size));
  TRY(not_null(data, "data"));
  const auto pieces = TRY(managed_ranges().traits(pointer, size));
  const auto preferred = common_place(pieces, &ManagedTraits::preferred);
  const auto prefetched = common_place(pieces, &ManagedTraits::last_prefetch);
  const auto id = [](const std::optional<ManagedPlace>& place) { return place ? id_of(*place) : kNobody; };
  const auto type = [](const std::optional<ManagedPlace>& place) {
    return place ? static_cast<int32_t>(place->type) : int32_t{ACL_MEM_LOCATIONTYPE_INVALID};
  };
  switch (attribute) {
    case ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY:
      return answer(std::ranges::all_of(pieces, &ManagedTraits::read_mostly), data, data_size);
    case ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY:
      return answer(common_accessors(pieces), data, data_size);
    case ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION:
    case ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID:
      return answer(id(preferred), data, data_size);
    case ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE:
      return answer(type(preferred), data, data_size);
    case ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION:
    case ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID:
      return answer(id(prefetched), data, data_size);
    case ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE:
      return answer(type(prefetched), data, data_size);
  }
  return {ACL_ERROR_INVALID_PARAM, formatted("attribute is {}; it must be 1 to 8", attribute), "EH0007"};
}

Status query_many(const aclrtMemManagedRangeAttribute* attributes, size_t count, const void* pointer, size_t size,
                  void** data, const size_t* data_sizes) {
  TRY(not_null(attributes, "attributes"));
  TRY(not_null(data, "data"));
  TRY(not_null(data_sizes, "dataSizes"));
  if (count == 0) return bad_parameter("numAttributes is 0; it must be at least 1");
  for (size_t i = 0; i < count; ++i) TRY(query(attributes[i], pointer, size, data[i], data_sizes[i]));
  return {};
}

}  // namespace

aclError aclrtMemAllocManaged(void** ptr, uint64_t size, uint32_t flag) {
  return entry(
      __func__, [&] { return allocate(ptr, size, flag); }, ptr, size, flag);
}

aclError aclrtMemManagedAdvise(const void* const ptr, uint64_t size, aclrtMemManagedAdviseType advise,
                               aclrtMemManagedLocation location) {
  return entry(
      __func__, [&] { return ::advise(ptr, size, advise, location); }, ptr, size, advise, location);
}

aclError aclrtMemManagedGetAttr(aclrtMemManagedRangeAttribute attribute, const void* ptr, size_t size, void* data,
                                size_t dataSize) {
  return entry(
      __func__, [&] { return query(attribute, ptr, size, data, dataSize); }, attribute, ptr, size, data, dataSize);
}

aclError aclrtMemManagedGetAttrs(aclrtMemManagedRangeAttribute* attributes, size_t numAttributes, const void* ptr,
                                 size_t size, void** data, size_t* dataSizes) {
  return entry(
      __func__, [&] { return query_many(attributes, numAttributes, ptr, size, data, dataSizes); }, attributes,
      numAttributes, ptr, size, data, dataSizes);
}

aclError aclrtMemManagedPrefetchAsync(const void* ptr, size_t size, aclrtMemManagedLocation location, uint32_t flags,
                                      aclrtStream stream) {
  return entry(
      __func__, [&] { return prefetch_one(ptr, size, location, flags, stream); }, ptr, size, location, flags, stream);
}

aclError aclrtMemManagedPrefetchBatchAsync(const void** ptrs, size_t* sizes, size_t count,
                                           aclrtMemManagedLocation* prefetchLocs, size_t* prefetchLocIdxs,
                                           size_t numPrefetchLocs, uint64_t flags, aclrtStream stream) {
  return entry(
      __func__,
      [&] { return prefetch_batch(ptrs, sizes, count, prefetchLocs, prefetchLocIdxs, numPrefetchLocs, flags, stream); },
      ptrs, sizes, count, prefetchLocs, prefetchLocIdxs, numPrefetchLocs, flags, stream);
}
