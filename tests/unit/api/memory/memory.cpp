// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "acl/acl.h"
#include "support/child.h"
#include "support/device.h"

namespace {

using namespace belay::test;
using testing::HasSubstr;

constexpr size_t kMiB = size_t{1} << 20;
constexpr auto kPolicy = ACL_MEM_MALLOC_HUGE_FIRST;

class Memory : public WithDevice {};

size_t free_memory() {
  size_t free = 0, total = 0;
  EXPECT_EQ(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total), ACL_SUCCESS);
  EXPECT_LE(free, total);
  return free;
}

TEST_F(Memory, NullIsRefusedBeforeSizeZeroAndSizeZeroBeforeOverflow) {
  void* pointer = nullptr;
  EXPECT_EQ(aclrtMalloc(nullptr, 0, kPolicy), ACL_ERROR_INVALID_PARAM);
  EXPECT_THAT(recent_error(), HasSubstr("devPtr must not be null"));
  EXPECT_EQ(aclrtMalloc(&pointer, 0, kPolicy), ACL_ERROR_INVALID_PARAM);
  EXPECT_THAT(recent_error(), HasSubstr("size is 0"));
  EXPECT_EQ(aclrtMalloc(&pointer, std::numeric_limits<size_t>::max(), kPolicy), ACL_ERROR_INVALID_PARAM);
  EXPECT_THAT(recent_error(), HasSubstr("overflows"));
  EXPECT_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);
  EXPECT_EQ(pointer, nullptr);
}

TEST(MemoryWithoutContext, ArgumentsAreCheckedFirstThenTheContext) {
  without_context([] {
    void* pointer = nullptr;
    EXPECT_EQ(aclrtMalloc(&pointer, 0, kPolicy), ACL_ERROR_INVALID_PARAM);
    EXPECT_EQ(aclrtMalloc(&pointer, 16, kPolicy), ACL_ERROR_RT_CONTEXT_NULL);
    EXPECT_EQ(aclrtMallocAlign32(&pointer, 16, kPolicy), ACL_ERROR_RT_CONTEXT_NULL);
    EXPECT_EQ(aclrtMallocCached(&pointer, 16, kPolicy), ACL_ERROR_RT_CONTEXT_NULL);
    EXPECT_EQ(aclrtMallocWithCfg(&pointer, 16, kPolicy, nullptr), ACL_ERROR_RT_CONTEXT_NULL);
    EXPECT_EQ(aclrtMallocHost(&pointer, 16), ACL_ERROR_RT_CONTEXT_NULL);
    EXPECT_EQ(aclrtMallocHostWithCfg(&pointer, 16, nullptr), ACL_ERROR_RT_CONTEXT_NULL);
    size_t free = 0, total = 0;
    EXPECT_EQ(aclrtGetMemInfo(ACL_HBM_MEM, nullptr, &total), ACL_ERROR_INVALID_PARAM);
    EXPECT_EQ(aclrtGetMemInfo(static_cast<aclrtMemAttr>(99), &free, &total), ACL_ERROR_RT_CONTEXT_NULL);
    EXPECT_EQ(pointer, nullptr);
  });
}

TEST_F(Memory, IsAlignedAndHasATailThatMayBeRead) {
  for (const size_t size : {size_t{1}, size_t{31}, size_t{64}, size_t{1000}, size_t{65536}, 3 * kMiB}) {
    DeviceMemory block(size);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(block.pointer) % 64, 0u);
    if (!memory_is_opaque()) std::memset(block.pointer, 1, size + 32);
  }
}

TEST_F(Memory, EveryKindOfAllocationIsFreedWithAclrtFree) {
  void* pointer = nullptr;
  ASSERT_EQ(aclrtMallocAlign32(&pointer, 100, kPolicy), ACL_SUCCESS);
  EXPECT_EQ(aclrtFree(pointer), ACL_SUCCESS);
  ASSERT_EQ(aclrtMallocCached(&pointer, 100, ACL_MEM_MALLOC_NORMAL_ONLY), ACL_SUCCESS);
  EXPECT_EQ(aclrtFree(pointer), ACL_SUCCESS);
  ASSERT_EQ(aclrtMallocWithCfg(&pointer, 100, ACL_MEM_MALLOC_HUGE1G_ONLY, nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclrtFree(pointer), ACL_SUCCESS);
  ASSERT_EQ(aclrtMallocForTaskScheduler(&pointer, 100, kPolicy, nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclrtFree(pointer), ACL_SUCCESS);
  ASSERT_EQ(aclrtMalloc(&pointer, 100, static_cast<aclrtMemMallocPolicy>(12345)), ACL_SUCCESS);
  EXPECT_EQ(aclrtFree(pointer), ACL_SUCCESS);
}

TEST_F(Memory, AConfigurationMayNameTheDevice) {
  aclrtMallocAttribute attribute{};
  attribute.attr = ACL_RT_MEM_ATTR_DEVICE_ID;
  attribute.value.deviceId = 2;
  aclrtMallocConfig config{&attribute, 1};
  void* pointer = nullptr;
  ASSERT_EQ(aclrtMallocWithCfg(&pointer, 100, kPolicy, &config), ACL_SUCCESS);
  aclrtPtrAttributes about{};
  ASSERT_EQ(aclrtPointerGetAttributes(pointer, &about), ACL_SUCCESS);
  EXPECT_EQ(about.location.id, 2u);
  EXPECT_EQ(aclrtFree(pointer), ACL_SUCCESS);

  config.attrs = nullptr;
  EXPECT_EQ(aclrtMallocWithCfg(&pointer, 100, kPolicy, &config), ACL_ERROR_INVALID_PARAM);
  EXPECT_THAT(recent_error(), HasSubstr("cfg->attrs must not be null"));
  config.attrs = &attribute;
  attribute.value.deviceId = 99;
  EXPECT_EQ(aclrtMallocWithCfg(&pointer, 100, kPolicy, &config), ACL_ERROR_RT_INVALID_DEVICEID);
  attribute.attr = static_cast<aclrtMallocAttrType>(77);
  EXPECT_EQ(aclrtMallocHostWithCfg(&pointer, 100, &config), ACL_ERROR_INVALID_PARAM);
  EXPECT_THAT(recent_error(), HasSubstr("attribute of kind 77"));
}

TEST_F(Memory, FreeingSaysWhatAnAddressReallyIs) {
  EXPECT_EQ(aclrtFree(nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtFreeHost(nullptr), ACL_ERROR_INVALID_PARAM);
  recent_error();
  DeviceMemory device(100);
  PinnedMemory host(100);
  EXPECT_EQ(aclrtFree(host.pointer), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_THAT(recent_error(),
              HasSubstr("pinned host memory (100 bytes, from aclrtMallocHost); free it with aclrtFreeHost"));
  EXPECT_EQ(aclrtFreeHost(device.pointer), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_THAT(recent_error(),
              HasSubstr("device memory (100 bytes of device 0, from aclrtMalloc); free it with aclrtFree"));
  EXPECT_EQ(aclrtFree(device.as<char>() + 64), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_THAT(recent_error(), HasSubstr("64 bytes inside device memory"));
  int local = 0;
  EXPECT_EQ(aclrtFree(&local), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_THAT(recent_error(), HasSubstr("not memory that this library allocated"));
  EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_PARAM_INVALID);
}

TEST_F(Memory, FreeingTwiceIsRefusedAndSaysSo) {
  void* pointer = nullptr;
  ASSERT_EQ(aclrtMalloc(&pointer, 100, kPolicy), ACL_SUCCESS);
  EXPECT_EQ(aclrtFree(pointer), ACL_SUCCESS);
  EXPECT_EQ(aclrtFree(pointer), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_THAT(recent_error(), HasSubstr("was freed already: it was device memory (100 bytes of device 0"));
  ASSERT_EQ(aclrtMallocHost(&pointer, 100), ACL_SUCCESS);
  EXPECT_EQ(aclrtFreeHost(pointer), ACL_SUCCESS);
  EXPECT_EQ(aclrtFreeHost(pointer), ACL_ERROR_RT_PARAM_INVALID);
}

TEST_F(Memory, OfTwoThreadsThatFreeOneBlockOneWins) {
  for (int turn = 0; turn < 200; ++turn) {
    void* pointer = nullptr;
    ASSERT_EQ(aclrtMalloc(&pointer, 100, kPolicy), ACL_SUCCESS);
    aclError other = ACL_SUCCESS;
    std::thread thread([&] { other = aclrtFree(pointer); });
    const aclError mine = aclrtFree(pointer);
    thread.join();
    EXPECT_EQ(mine + other, ACL_ERROR_RT_PARAM_INVALID);
  }
}

TEST_F(Memory, NeedsNoContextToBeFreed) {
  void *device = nullptr, *host = nullptr;
  ASSERT_EQ(aclrtMalloc(&device, 100, kPolicy), ACL_SUCCESS);
  ASSERT_EQ(aclrtMallocHost(&host, 100), ACL_SUCCESS);
  without_context([&] {
    EXPECT_EQ(aclrtFree(device), ACL_SUCCESS);
    EXPECT_EQ(aclrtFreeHost(host), ACL_SUCCESS);
  });
}

TEST(MemoryAfterReset, CanStillBeFreed) {
  ASSERT_EQ(aclrtSetDevice(1), ACL_SUCCESS);
  void* pointer = nullptr;
  ASSERT_EQ(aclrtMalloc(&pointer, 100, kPolicy), ACL_SUCCESS);
  ASSERT_EQ(aclrtResetDevice(1), ACL_SUCCESS);
  EXPECT_EQ(aclrtFree(pointer), ACL_SUCCESS);
}

TEST_F(Memory, FreeWithDevSyncWaitsForTheStreamsFirst) {
  TestStream stream;
  void* pointer = nullptr;
  ASSERT_EQ(aclrtMalloc(&pointer, 4, kPolicy), ACL_SUCCESS);
  Gate gate(stream);
  std::thread opener([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    gate.open();
  });
  EXPECT_EQ(aclrtFreeWithDevSync(pointer), ACL_SUCCESS);
  aclrtStreamStatus status{};
  EXPECT_EQ(aclrtStreamQuery(stream, &status), ACL_SUCCESS);
  EXPECT_EQ(status, ACL_STREAM_STATUS_COMPLETE);
  opener.join();
  EXPECT_EQ(aclrtFreeWithDevSync(nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtFreeWithDevSync(pointer), ACL_ERROR_RT_PARAM_INVALID);
  ASSERT_EQ(aclrtMallocHost(&pointer, 4), ACL_SUCCESS);
  EXPECT_EQ(aclrtFreeHostWithDevSync(pointer), ACL_SUCCESS);
}

TEST_F(Memory, WhatIsAllocatedIsMissingFromTheFreeMemory) {
  const size_t before = free_memory();
  void* pointer = nullptr;
  ASSERT_EQ(aclrtMalloc(&pointer, 4 * kMiB, kPolicy), ACL_SUCCESS);
  EXPECT_EQ(free_memory(), before - 4 * kMiB - 32);
  EXPECT_EQ(aclrtFree(pointer), ACL_SUCCESS);
  EXPECT_EQ(free_memory(), before);
}

TEST_F(Memory, PlainKindsAreTheSumOfHugeAndNormalAndThisChipHasNoDdr) {
  const auto info = [](aclrtMemAttr attr) {
    size_t free = 1, total = 1;
    EXPECT_EQ(aclrtGetMemInfo(attr, &free, &total), ACL_SUCCESS) << attr;
    EXPECT_LE(free, total);
    return std::pair(free, total);
  };
  DeviceMemory some(kMiB);
  const auto whole = info(ACL_HBM_MEM), huge = info(ACL_HBM_MEM_HUGE), normal = info(ACL_HBM_MEM_NORMAL);
  EXPECT_EQ(whole.first, huge.first + normal.first);
  EXPECT_EQ(whole.second, huge.second + normal.second);
  for (const auto none :
       {ACL_DDR_MEM, ACL_DDR_MEM_HUGE, ACL_DDR_MEM_NORMAL, ACL_DDR_MEM_P2P_HUGE, ACL_DDR_MEM_P2P_NORMAL})
    EXPECT_EQ(info(none), std::pair(size_t{0}, size_t{0}));
  for (int attr = 0; attr <= 17; ++attr) info(static_cast<aclrtMemAttr>(attr));
  size_t free = 0, total = 0;
  EXPECT_EQ(aclrtGetMemInfo(static_cast<aclrtMemAttr>(18), &free, &total), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtGetMemInfo(static_cast<aclrtMemAttr>(-1), &free, &total), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_THAT(recent_error(), HasSubstr("0 to 17"));
  EXPECT_EQ(aclrtGetMemInfo(ACL_HBM_MEM, &free, nullptr), ACL_ERROR_INVALID_PARAM);
}

TEST(MemoryInfo, DISABLED_With310) {
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  size_t free = 0, total = 0;
  EXPECT_EQ(aclrtGetMemInfo(ACL_DDR_MEM, &free, &total), ACL_SUCCESS);
  EXPECT_GT(total, 0u);
  EXPECT_EQ(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total), ACL_SUCCESS);
  EXPECT_EQ(total, 0u);
}

TEST(MemoryInfo, ChipsOfThe310FamilyHaveDdr) {
  expect_passes_with({{"BELAY_SOC_NAME", "Ascend310P3"}}, "MemoryInfo.DISABLED_With310");
}

TEST(MemoryLimit, DISABLED_With8MiB) {
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  size_t free = 0, total = 0;
  ASSERT_EQ(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total), ACL_SUCCESS);
  EXPECT_EQ(total, 8 * kMiB);
  void *first = nullptr, *second = nullptr;
  ASSERT_EQ(aclrtMalloc(&first, 5 * kMiB, kPolicy), ACL_SUCCESS);
  EXPECT_EQ(aclrtMalloc(&second, 5 * kMiB, kPolicy), ACL_ERROR_RT_MEMORY_ALLOCATION);
  EXPECT_EQ(second, nullptr);
  EXPECT_THAT(recent_error(), HasSubstr("device 0 has 3145696 bytes of memory left, not 5242912"));
  EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_MEMORY_ALLOCATION);
  ASSERT_EQ(aclrtSetDevice(1), ACL_SUCCESS);  // another device has memory of its own
  EXPECT_EQ(aclrtMalloc(&second, 5 * kMiB, kPolicy), ACL_SUCCESS);
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(aclrtFree(first), ACL_SUCCESS);
  EXPECT_EQ(aclrtMalloc(&first, 8 * kMiB - 64, kPolicy), ACL_SUCCESS);
}

TEST(MemoryLimit, ADeviceGivesNoMoreThanItHasAndSaysTheSizes) {
  expect_passes_with({{"BELAY_DEVICE_MEMORY", "8M"}}, "MemoryLimit.DISABLED_With8MiB");
}

TEST_F(Memory, UsageIsListedByOwnerWithPeaks) {
  DeviceMemory block(kMiB);
  std::vector<aclrtMemUsageInfo> infos(8);
  size_t count = 0;
  ASSERT_EQ(aclrtGetMemUsageInfo(0, infos.data(), infos.size(), &count), ACL_SUCCESS);
  ASSERT_GE(count, 1u);
  EXPECT_STREQ(infos[0].name, "aclrtMalloc");
  EXPECT_GE(infos[0].curMemSize, kMiB);
  EXPECT_GE(infos[0].memPeakSize, infos[0].curMemSize);
  EXPECT_EQ(aclrtGetMemUsageInfo(0, nullptr, 8, &count), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtGetMemUsageInfo(0, infos.data(), 8, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtGetMemUsageInfo(0, infos.data(), 0, &count), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtGetMemUsageInfo(99, infos.data(), 8, &count), ACL_ERROR_RT_INVALID_DEVICEID);
}

TEST_F(Memory, PointersTellWhereTheyLie) {
  DeviceMemory device(100);
  PinnedMemory host(100);
  int local = 0;
  const auto type = [](const void* pointer) {
    aclrtPtrAttributes about{};
    EXPECT_EQ(aclrtPointerGetAttributes(pointer, &about), ACL_SUCCESS);
    return about.location.type;
  };
  EXPECT_EQ(type(device.as<char>() + 50), ACL_MEM_LOCATION_TYPE_DEVICE);
  EXPECT_EQ(type(host.pointer), ACL_MEM_LOCATION_TYPE_HOST);
  EXPECT_EQ(type(&local), ACL_MEM_LOCATION_TYPE_UNREGISTERED);
  aclrtPtrAttributes about{};
  EXPECT_EQ(aclrtPointerGetAttributes(nullptr, &about), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtPointerGetAttributes(&local, nullptr), ACL_ERROR_INVALID_PARAM);
}

TEST_F(Memory, AnAddressTellsItsBlock) {
  DeviceMemory device(100);
  void* base = nullptr;
  size_t size = 0;
  ASSERT_EQ(aclrtMemGetAddressRange(device.as<char>() + 7, &base, &size), ACL_SUCCESS);
  EXPECT_EQ(base, device.pointer);
  EXPECT_EQ(size, 100u);
  EXPECT_EQ(aclrtMemGetAddressRange(&size, &base, &size), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_THAT(recent_error(), HasSubstr("ordinary host memory"));
}

TEST_F(Memory, ManyThreadsAllocateAndFreeWithoutSharingABlock) {
  aclrtContext context = nullptr;
  ASSERT_EQ(aclrtGetCurrentContext(&context), ACL_SUCCESS);
  const size_t before = free_memory();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([context, t] {
      ASSERT_EQ(aclrtSetCurrentContext(context), ACL_SUCCESS);
      std::mt19937 random(static_cast<unsigned>(t));
      for (int turn = 0; turn < 300; ++turn) {
        DeviceMemory a(1 + random() % 5000), b(1 + random() % 200000);
        PinnedMemory c(1 + random() % 100000);
        a.set(static_cast<char>(t));
        b.set(static_cast<char>(t));
        *c.as<char>() = static_cast<char>(t);
        std::this_thread::yield();
        ASSERT_EQ(a.get<char>() + b.get<char>() + *c.as<char>(), 3 * t);
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(free_memory(), before);
}

}  // namespace
