// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "acl/acl.h"
#include "acl/acl_rt_memory_soma.h"
#include "support/device.h"

namespace {

using namespace belay::test;
using testing::HasSubstr;

class MemoryPool : public WithDevice {
 protected:
  void SetUp() override {
    WithDevice::SetUp();
    props_.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
    ASSERT_EQ(aclrtMemPoolCreate(&pool_, &props_), ACL_SUCCESS);
    ASSERT_EQ(aclrtCreateStream(&stream_), ACL_SUCCESS);
  }
  void TearDown() override {
    EXPECT_EQ(aclrtDestroyStream(stream_), ACL_SUCCESS);
    EXPECT_EQ(aclrtMemPoolDestroy(pool_), ACL_SUCCESS);
    WithDevice::TearDown();
  }
  void* allocate(size_t size, aclrtStream stream) {
    void* pointer = nullptr;
    EXPECT_EQ(aclrtMemPoolMallocAsync(&pointer, size, pool_, stream), ACL_SUCCESS);
    return pointer;
  }
  uint64_t bytes(aclrtMemPoolAttr attr) {
    uint64_t value = 0;
    EXPECT_EQ(aclrtMemPoolGetAttr(pool_, attr, &value), ACL_SUCCESS);
    return value;
  }
  uint64_t reserved() { return bytes(ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT); }
  uint64_t used() { return bytes(ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT); }
  void set_threshold(uint64_t value) {
    EXPECT_EQ(aclrtMemPoolSetAttr(pool_, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, &value), ACL_SUCCESS);
  }

  aclrtMemPoolProps props_{};
  aclrtMemPool pool_ = nullptr;
  aclrtStream stream_ = nullptr;
};

TEST_F(MemoryPool, MemoryIsUsableAtOnceAndGoesBackToTheDeviceAtTheNextSynchronize) {
  void* pointer = allocate(1000, stream_);
  EXPECT_EQ(used(), 1024u);
  EXPECT_EQ(reserved(), 1024u);
  EXPECT_EQ(aclrtMemsetAsync(pointer, 1000, 7, 1000, stream_), ACL_SUCCESS);
  char last = 0;
  EXPECT_EQ(aclrtMemcpyAsync(&last, 1, static_cast<char*>(pointer) + 999, 1, ACL_MEMCPY_DEVICE_TO_HOST, stream_),
            ACL_SUCCESS);
  EXPECT_EQ(last, 7);
  EXPECT_EQ(aclrtMemPoolFreeAsync(pointer, stream_), ACL_SUCCESS);
  EXPECT_EQ(used(), 0u);
  EXPECT_EQ(reserved(), 1024u);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(reserved(), 0u);
  EXPECT_EQ(bytes(ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH), 1024u);
  EXPECT_EQ(bytes(ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH), 1024u);
}

TEST_F(MemoryPool, BelowTheThresholdMemoryStaysForReuse) {
  set_threshold(1 << 20);
  void* first = allocate(100000, stream_);
  EXPECT_EQ(aclrtMemPoolFreeAsync(first, stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(reserved(), 100352u);
  void* second = allocate(99000, stream_);
  EXPECT_EQ(second, first);
  EXPECT_EQ(reserved(), 100352u);
  EXPECT_EQ(aclrtMemset(second, 99001, 0, 99001), ACL_ERROR_RT_PARAM_INVALID);  // its own size counts
  EXPECT_EQ(aclrtMemPoolFreeAsync(second, stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemPoolTrimTo(pool_, 0), ACL_SUCCESS);
  EXPECT_EQ(reserved(), 0u);
}

TEST_F(MemoryPool, TheSameStreamReusesAtOnceAnotherOnlyWhatIsDone) {
  TestStream other;
  void* pointer = allocate(4096, stream_);
  Gate gate(stream_);
  EXPECT_EQ(aclrtMemPoolFreeAsync(pointer, stream_), ACL_SUCCESS);
  void* elsewhere = allocate(4096, other);
  EXPECT_NE(elsewhere, pointer);
  void* here = allocate(4096, stream_);
  EXPECT_EQ(here, pointer);
  EXPECT_EQ(aclrtMemPoolFreeAsync(here, stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemPoolTrimTo(pool_, 0), ACL_SUCCESS);
  EXPECT_EQ(reserved(), 8192u);  // one is in use, the other not free before the stream gets there
  set_threshold(1 << 20);
  gate.open();
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  void* now = allocate(4096, other);
  EXPECT_EQ(now, pointer);
  for (void* each : {elsewhere, now}) EXPECT_EQ(aclrtMemPoolFreeAsync(each, other), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(other), ACL_SUCCESS);
}

TEST_F(MemoryPool, WithoutOpportunismStreamsKeepToThemselves) {
  set_threshold(1 << 20);
  int32_t off = 0, answer = 9;
  ASSERT_EQ(aclrtMemPoolSetAttr(pool_, ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC, &off), ACL_SUCCESS);
  ASSERT_EQ(aclrtMemPoolGetAttr(pool_, ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC, &answer), ACL_SUCCESS);
  EXPECT_EQ(answer, 0);
  void* pointer = allocate(4096, stream_);
  EXPECT_EQ(aclrtMemPoolFreeAsync(pointer, stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  TestStream other;
  void* elsewhere = allocate(4096, other);
  EXPECT_NE(elsewhere, pointer);
  EXPECT_EQ(aclrtMemPoolFreeAsync(elsewhere, other), ACL_SUCCESS);
}

TEST_F(MemoryPool, AFreedAddressIsDeadForTheHostAtOnce) {
  void* pointer = allocate(100, stream_);
  EXPECT_EQ(aclrtFree(pointer), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_THAT(recent_error(), HasSubstr("free it with aclrtMemPoolFreeAsync"));
  EXPECT_EQ(aclrtMemPoolFreeAsync(pointer, stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemPoolFreeAsync(pointer, stream_), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_THAT(recent_error(), HasSubstr("was freed already"));
  EXPECT_EQ(aclrtMemset(pointer, 4, 0, 4), ACL_ERROR_RT_PARAM_INVALID);
  DeviceMemory block(100);
  EXPECT_EQ(aclrtMemPoolFreeAsync(block.pointer, stream_), ACL_ERROR_RT_PARAM_INVALID);
}

TEST_F(MemoryPool, GivesNoMoreThanItsLimit) {
  props_.maxSize = 1 << 20;
  aclrtMemPool small = nullptr;
  ASSERT_EQ(aclrtMemPoolCreate(&small, &props_), ACL_SUCCESS);
  void *first = nullptr, *second = nullptr;
  ASSERT_EQ(aclrtMemPoolMallocAsync(&first, 700000, small, stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemPoolMallocAsync(&second, 700000, small, stream_), ACL_ERROR_RT_MEMORY_ALLOCATION);
  EXPECT_THAT(recent_error(), HasSubstr("of its 1048576 bytes"));
  uint64_t keep = 1 << 20;
  ASSERT_EQ(aclrtMemPoolSetAttr(small, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, &keep), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemPoolFreeAsync(first, stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  ASSERT_EQ(aclrtMemPoolMallocAsync(&second, 400000, small, stream_), ACL_SUCCESS);  // what was kept makes room
  EXPECT_EQ(aclrtMemPoolMallocAsync(&first, SIZE_MAX, small, stream_), ACL_ERROR_RT_MEMORY_ALLOCATION);
  EXPECT_EQ(aclrtMemPoolDestroy(small), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemPoolFreeAsync(second, stream_), ACL_SUCCESS);  // its memory outlives the pool's handle
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
}

TEST_F(MemoryPool, DroppedFreesFreeAllTheSame) {
  void* pointer = allocate(4096, stream_);
  Gate gate(stream_);
  EXPECT_EQ(aclrtMemPoolFreeAsync(pointer, stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtStreamAbort(stream_), ACL_SUCCESS);
  gate.open();
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(reserved(), 0u);
}

TEST_F(MemoryPool, MarksCanBeStartedAnewAndCurrentValuesNotSet) {
  void* pointer = allocate(4096, stream_);
  EXPECT_EQ(aclrtMemPoolFreeAsync(pointer, stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  uint64_t zero = 0, one = 1;
  int32_t two = 2;
  EXPECT_EQ(aclrtMemPoolSetAttr(pool_, ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH, &one), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtMemPoolSetAttr(pool_, ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH, &zero), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemPoolSetAttr(pool_, ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH, &zero), ACL_SUCCESS);
  EXPECT_EQ(bytes(ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH), 0u);
  EXPECT_EQ(bytes(ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH), 0u);
  EXPECT_EQ(aclrtMemPoolSetAttr(pool_, ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT, &zero), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtMemPoolSetAttr(pool_, ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES, &two),
            ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtMemPoolSetAttr(pool_, static_cast<aclrtMemPoolAttr>(9), &zero), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMemPoolGetAttr(pool_, static_cast<aclrtMemPoolAttr>(0), &zero), ACL_ERROR_INVALID_PARAM);
}

TEST_F(MemoryPool, RefusesBadArguments) {
  aclrtMemPool other = nullptr;
  EXPECT_EQ(aclrtMemPoolCreate(nullptr, &props_), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMemPoolCreate(&other, nullptr), ACL_ERROR_INVALID_PARAM);
  props_.location.id = 99;
  EXPECT_EQ(aclrtMemPoolCreate(&other, &props_), ACL_ERROR_RT_INVALID_DEVICEID);
  props_.location = {0, ACL_MEM_LOCATION_TYPE_HOST};
  EXPECT_EQ(aclrtMemPoolCreate(&other, &props_), ACL_ERROR_RT_PARAM_INVALID);
  void* pointer = nullptr;
  EXPECT_EQ(aclrtMemPoolMallocAsync(nullptr, 4, pool_, stream_), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMemPoolMallocAsync(&pointer, 0, pool_, stream_), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMemPoolMallocAsync(&pointer, 4, nullptr, stream_), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMemPoolMallocAsync(&pointer, 4, stream_, stream_), ACL_ERROR_RT_INVALID_HANDLE);
  EXPECT_EQ(aclrtMemPoolMallocAsync(&pointer, 4, pool_, pool_), ACL_ERROR_RT_INVALID_HANDLE);
  EXPECT_EQ(aclrtMemPoolFreeAsync(nullptr, stream_), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMemPoolTrimTo(nullptr, 0), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMemPoolDestroy(nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMemPoolDestroy(stream_), ACL_ERROR_RT_INVALID_HANDLE);
}

TEST_F(MemoryPool, ManyThreadsAndStreamsShareOnePool) {
  set_threshold(UINT64_MAX);
  aclrtContext context = nullptr;
  ASSERT_EQ(aclrtGetCurrentContext(&context), ACL_SUCCESS);
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&, t] {
      ASSERT_EQ(aclrtSetCurrentContext(context), ACL_SUCCESS);
      PinnedMemory result(4);
      TestStream mine;  // ends first: queued copies still write the result
      for (int turn = 0; turn < 200; ++turn) {
        auto* pointer = static_cast<int*>(allocate(static_cast<size_t>(64 + turn * 8), mine));
        ASSERT_EQ(aclrtMemsetAsync(pointer, 64, t + 1, 64, mine), ACL_SUCCESS);
        ASSERT_EQ(aclrtMemcpyAsync(result.pointer, 4, pointer, 4, ACL_MEMCPY_DEVICE_TO_HOST, mine), ACL_SUCCESS);
        ASSERT_EQ(aclrtMemPoolFreeAsync(pointer, mine), ACL_SUCCESS);
        if (turn % 50 == 0) {
          ASSERT_EQ(aclrtSynchronizeStream(mine), ACL_SUCCESS);
          ASSERT_EQ(*result.as<int>(), 0x01010101 * (t + 1));
        }
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(used(), 0u);
}

class ManagedMemory : public WithDevice {
 protected:
  void SetUp() override {
    WithDevice::SetUp();
    ASSERT_EQ(aclrtMemAllocManaged(&pointer_, 100000, ACL_RT_MEM_ATTACH_GLOBAL), ACL_SUCCESS);
  }
  void TearDown() override {
    EXPECT_EQ(aclrtFree(pointer_), ACL_SUCCESS);
    WithDevice::TearDown();
  }
  int32_t ask(aclrtMemManagedRangeAttribute attribute, size_t offset = 0, size_t size = 100000) {
    int32_t answer = 77;
    EXPECT_EQ(aclrtMemManagedGetAttr(attribute, static_cast<char*>(pointer_) + offset, size, &answer, 4), ACL_SUCCESS);
    return answer;
  }
  void* pointer_ = nullptr;
  static constexpr aclrtMemManagedLocation kDevice1{ACL_MEM_LOCATIONTYPE_DEVICE, 1},
      kHost{ACL_MEM_LOCATIONTYPE_HOST, 0};
};

TEST_F(ManagedMemory, IsReachedFromHostAndDeviceAndSaysWhatItIs) {
  *static_cast<int*>(pointer_) = 5;
  int back = 0;
  EXPECT_EQ(aclrtMemcpy(&back, 4, pointer_, 4, ACL_MEMCPY_DEVICE_TO_HOST), ACL_SUCCESS);
  EXPECT_EQ(back, 5);
  aclrtPtrAttributes about{};
  EXPECT_EQ(aclrtPointerGetAttributes(pointer_, &about), ACL_SUCCESS);
  EXPECT_EQ(about.location.type, ACL_MEM_LOCATION_TYPE_MANAGED);
}

TEST_F(ManagedMemory, AdviceIsRememberedPieceByPiece) {
  auto* bytes = static_cast<char*>(pointer_);
  EXPECT_EQ(ask(ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY), 0);
  EXPECT_EQ(ask(ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION), -2);
  EXPECT_EQ(aclrtMemManagedAdvise(bytes + 1000, 1000, ACL_MEM_ADVISE_SET_READ_MOSTLY, {}), ACL_SUCCESS);
  EXPECT_EQ(ask(ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY), 0);
  EXPECT_EQ(ask(ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, 1000, 1000), 1);
  EXPECT_EQ(ask(ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, 999, 2), 0);
  EXPECT_EQ(aclrtMemManagedAdvise(bytes + 1500, 10, ACL_MEM_ADVISE_UNSET_READ_MOSTLY, {}), ACL_SUCCESS);
  EXPECT_EQ(ask(ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, 1000, 1000), 0);
  EXPECT_EQ(ask(ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, 1510, 490), 1);
  EXPECT_EQ(aclrtMemManagedAdvise(pointer_, 100000, ACL_MEM_ADVISE_SET_PREFERRED_LOCATION, kDevice1), ACL_SUCCESS);
  EXPECT_EQ(ask(ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION), 1);
  EXPECT_EQ(ask(ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE), ACL_MEM_LOCATIONTYPE_DEVICE);
  EXPECT_EQ(aclrtMemManagedAdvise(bytes, 10, ACL_MEM_ADVISE_SET_PREFERRED_LOCATION, kHost), ACL_SUCCESS);
  EXPECT_EQ(ask(ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION), -2);
  EXPECT_EQ(ask(ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, 0, 10), -1);
  EXPECT_EQ(aclrtMemManagedAdvise(bytes, 100000, ACL_MEM_ADVISE_UNSET_PREFERRED_LOCATION, kHost), ACL_SUCCESS);
  EXPECT_EQ(ask(ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE), ACL_MEM_LOCATIONTYPE_INVALID);
}

TEST_F(ManagedMemory, AccessorsAreAListAndPrefetchesHappenInStreamOrder) {
  EXPECT_EQ(aclrtMemManagedAdvise(pointer_, 100000, ACL_MEM_ADVISE_SET_ACCESSED_BY, kDevice1), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemManagedAdvise(pointer_, 100000, ACL_MEM_ADVISE_SET_ACCESSED_BY, kHost), ACL_SUCCESS);
  int32_t ids[3] = {9, 9, 9};
  EXPECT_EQ(aclrtMemManagedGetAttr(ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, pointer_, 100000, ids, 12), ACL_SUCCESS);
  EXPECT_THAT(ids, testing::ElementsAre(-1, 1, -2));
  EXPECT_EQ(aclrtMemManagedAdvise(pointer_, 100000, ACL_MEM_ADVISE_UNSET_ACCESSED_BY, kHost), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemManagedGetAttr(ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, pointer_, 100000, ids, 12), ACL_SUCCESS);
  EXPECT_THAT(ids, testing::ElementsAre(1, -2, -2));
  TestStream stream;
  Gate gate(stream);
  EXPECT_EQ(aclrtMemManagedPrefetchAsync(pointer_, 100000, kDevice1, 0, stream), ACL_SUCCESS);
  EXPECT_EQ(ask(ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION), -2);
  gate.open();
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  EXPECT_EQ(ask(ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION), 1);
  const void* pointers[] = {pointer_, static_cast<char*>(pointer_) + 50000};
  size_t sizes[] = {50000, 50000}, indexes[] = {0, 1};
  aclrtMemManagedLocation places[] = {kHost, kDevice1};
  EXPECT_EQ(aclrtMemManagedPrefetchBatchAsync(pointers, sizes, 2, places, indexes, 2, 0, stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  EXPECT_EQ(ask(ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID, 0, 50000), -1);
  EXPECT_EQ(ask(ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE, 50000, 50000), ACL_MEM_LOCATIONTYPE_DEVICE);
  aclrtMemManagedRangeAttribute both[] = {ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY,
                                          ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION};
  int32_t first = 9, second = 9;
  void* data[] = {&first, &second};
  size_t data_sizes[] = {4, 4};
  EXPECT_EQ(aclrtMemManagedGetAttrs(both, 2, pointer_, 100000, data, data_sizes), ACL_SUCCESS);
  EXPECT_EQ(first, 0);
  EXPECT_EQ(second, -2);
}

TEST_F(ManagedMemory, RefusesBadArguments) {
  void* pointer = nullptr;
  EXPECT_EQ(aclrtMemAllocManaged(nullptr, 4, 1), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMemAllocManaged(&pointer, 0, 1), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMemAllocManaged(&pointer, 4, 2), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtMemManagedAdvise(nullptr, 4, ACL_MEM_ADVISE_SET_READ_MOSTLY, {}), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMemManagedAdvise(pointer_, 0, ACL_MEM_ADVISE_SET_READ_MOSTLY, {}), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMemManagedAdvise(pointer_, 4, static_cast<aclrtMemManagedAdviseType>(6), {}), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMemManagedAdvise(pointer_, 100001, ACL_MEM_ADVISE_SET_READ_MOSTLY, {}), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtMemManagedAdvise(pointer_, 4, ACL_MEM_ADVISE_SET_PREFERRED_LOCATION, {}), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtMemManagedAdvise(pointer_, 4, ACL_MEM_ADVISE_SET_ACCESSED_BY, {ACL_MEM_LOCATIONTYPE_DEVICE, 99}),
            ACL_ERROR_RT_INVALID_DEVICEID);
  DeviceMemory block(100);
  EXPECT_EQ(aclrtMemManagedAdvise(block.pointer, 4, ACL_MEM_ADVISE_SET_READ_MOSTLY, {}), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_THAT(recent_error(), HasSubstr("not memory from aclrtMemAllocManaged"));
  int64_t wide = 0;
  EXPECT_EQ(aclrtMemManagedGetAttr(ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, pointer_, 4, &wide, 8),
            ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtMemManagedGetAttr(ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, pointer_, 4, &wide, 3),
            ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtMemManagedGetAttr(static_cast<aclrtMemManagedRangeAttribute>(9), pointer_, 4, &wide, 4),
            ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMemManagedPrefetchAsync(pointer_, 4, kHost, 1, nullptr), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtMemManagedPrefetchAsync(block.pointer, 4, kHost, 0, nullptr), ACL_ERROR_RT_PARAM_INVALID);
}

}  // namespace
