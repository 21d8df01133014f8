// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "acl/acl.h"
#include "support/device.h"
#include "support/partner.h"

namespace {

using namespace belay::test;
using testing::HasSubstr;

constexpr size_t kUnit = size_t{2} << 20;

aclrtPhysicalMemProp properties(aclrtMemLocationType type = ACL_MEM_LOCATION_TYPE_DEVICE, uint32_t id = 0) {
  aclrtPhysicalMemProp prop{};
  prop.handleType = ACL_MEM_HANDLE_TYPE_NONE;
  prop.allocationType = ACL_MEM_ALLOCATION_TYPE_PINNED;
  prop.memAttr = ACL_HBM_MEM_HUGE;
  prop.location = {id, type};
  return prop;
}

class VirtualMemory : public WithDevice {
 protected:
  static void* reserve(size_t size) {
    void* pointer = nullptr;
    EXPECT_EQ(aclrtReserveMemAddress(&pointer, size, 0, nullptr, 0), ACL_SUCCESS);
    return pointer;
  }
  static aclrtDrvMemHandle physical(size_t size = kUnit) {
    const auto prop = properties();
    aclrtDrvMemHandle handle = nullptr;
    EXPECT_EQ(aclrtMallocPhysical(&handle, size, &prop, 0), ACL_SUCCESS);
    return handle;
  }
  static size_t free_memory() {
    size_t free = 0, total = 0;
    EXPECT_EQ(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total), ACL_SUCCESS);
    return free;
  }
};

TEST_F(VirtualMemory, GoesThroughItsWholeLife) {
  auto prop = properties();
  size_t unit = 0;
  ASSERT_EQ(aclrtMemGetAllocationGranularity(&prop, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, &unit), ACL_SUCCESS);
  ASSERT_EQ(unit, kUnit);
  const size_t before = free_memory();
  void* pointer = reserve(4 * unit);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(pointer) % unit, 0u);
  EXPECT_EQ(free_memory(), before);
  aclrtDrvMemHandle handle = physical();
  EXPECT_EQ(free_memory(), before - unit);
  ASSERT_EQ(aclrtMapMem(pointer, unit, 0, handle, 0), ACL_SUCCESS);
  aclrtMemAccessDesc access{ACL_RT_MEM_ACCESS_FLAGS_READWRITE, {0, ACL_MEM_LOCATION_TYPE_DEVICE}, {}};
  ASSERT_EQ(aclrtMemSetAccess(pointer, unit, &access, 1), ACL_SUCCESS);
  int value = 5, back = 0;
  EXPECT_EQ(aclrtMemcpy(pointer, unit, &value, 4, ACL_MEMCPY_HOST_TO_DEVICE), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemcpy(&back, 4, pointer, 4, ACL_MEMCPY_DEVICE_TO_HOST), ACL_SUCCESS);
  EXPECT_EQ(back, 5);
  aclrtPtrAttributes about{};
  ASSERT_EQ(aclrtPointerGetAttributes(pointer, &about), ACL_SUCCESS);
  EXPECT_EQ(about.location.type, ACL_MEM_LOCATION_TYPE_DEVICE);
  EXPECT_EQ(aclrtUnmapMem(pointer), ACL_SUCCESS);
  EXPECT_EQ(aclrtFreePhysical(handle), ACL_SUCCESS);
  EXPECT_EQ(free_memory(), before);
  EXPECT_EQ(aclrtReleaseMemAddress(pointer), ACL_SUCCESS);
}

TEST_F(VirtualMemory, OneMemoryMayBeSeenAtTwoAddresses) {
  auto* pointer = static_cast<char*>(reserve(2 * kUnit));
  aclrtDrvMemHandle handle = physical();
  ASSERT_EQ(aclrtMapMem(pointer, kUnit, 0, handle, 0), ACL_SUCCESS);
  ASSERT_EQ(aclrtMapMem(pointer + kUnit, kUnit, 0, handle, 0), ACL_SUCCESS);
  put_on_device(pointer + 7, "a", 1);
  EXPECT_EQ(on_device(pointer + kUnit + 7, 1)[0], 'a');
  EXPECT_EQ(aclrtFreePhysical(handle), ACL_SUCCESS);  // the mappings keep it
  put_on_device(pointer + 8, "b", 1);
  EXPECT_EQ(on_device(pointer + kUnit + 8, 1)[0], 'b');
  EXPECT_EQ(aclrtUnmapMem(pointer), ACL_SUCCESS);
  EXPECT_EQ(aclrtUnmapMem(pointer + kUnit), ACL_SUCCESS);
  EXPECT_EQ(aclrtReleaseMemAddress(pointer), ACL_SUCCESS);
}

TEST_F(VirtualMemory, NeighbouringMappingsAreCopiedAcrossAndGapsAreNot) {
  auto* pointer = static_cast<char*>(reserve(4 * kUnit));
  aclrtDrvMemHandle first = physical(), second = physical();
  ASSERT_EQ(aclrtMapMem(pointer, kUnit, 0, first, 0), ACL_SUCCESS);
  ASSERT_EQ(aclrtMapMem(pointer + kUnit, kUnit, 0, second, 0), ACL_SUCCESS);
  std::string text(100, 'x'), back(100, ' ');
  EXPECT_EQ(aclrtMemcpy(pointer + kUnit - 50, 100, text.data(), 100, ACL_MEMCPY_HOST_TO_DEVICE), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemcpy(back.data(), 100, pointer + kUnit - 50, 100, ACL_MEMCPY_DEVICE_TO_HOST), ACL_SUCCESS);
  EXPECT_EQ(back, text);
  EXPECT_EQ(aclrtMemcpy(pointer + 2 * kUnit - 50, 100, text.data(), 100, ACL_MEMCPY_HOST_TO_DEVICE),
            ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_THAT(recent_error(), HasSubstr("has room for 50 bytes, not for 100: the mapped memory ends there"));
  EXPECT_EQ(aclrtMemcpy(pointer + 3 * kUnit, 100, text.data(), 100, ACL_MEMCPY_HOST_TO_DEVICE),
            ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_THAT(recent_error(), HasSubstr("lies in reserved addresses where no block is allocated"));
  EXPECT_EQ(aclrtFree(pointer), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_THAT(recent_error(), HasSubstr("unmap it with aclrtUnmapMem"));
  for (char* mapped : {pointer, pointer + kUnit}) EXPECT_EQ(aclrtUnmapMem(mapped), ACL_SUCCESS);
  for (auto handle : {first, second}) EXPECT_EQ(aclrtFreePhysical(handle), ACL_SUCCESS);
  EXPECT_EQ(aclrtReleaseMemAddress(pointer), ACL_SUCCESS);
}

TEST_F(VirtualMemory, AccessIsWhatWasGiven) {
  void* pointer = reserve(kUnit);
  aclrtDrvMemHandle handle = physical();
  ASSERT_EQ(aclrtMemMapNoAccess(pointer, kUnit, 0, handle, 0), ACL_SUCCESS);
  int value = 5;
  EXPECT_EQ(aclrtMemcpy(pointer, 4, &value, 4, ACL_MEMCPY_HOST_TO_DEVICE), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_THAT(recent_error(), HasSubstr("mapped without access; aclrtMemSetAccess gives access"));
  aclrtMemAccessDesc access{ACL_RT_MEM_ACCESS_FLAGS_READ, {0, ACL_MEM_LOCATION_TYPE_DEVICE}, {}};
  ASSERT_EQ(aclrtMemSetAccess(pointer, kUnit, &access, 1), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemcpy(&value, 4, pointer, 4, ACL_MEMCPY_DEVICE_TO_HOST), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemset(pointer, 4, 0, 4), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_THAT(recent_error(), HasSubstr("for reading only"));
  aclrtMemLocation location{0, ACL_MEM_LOCATION_TYPE_DEVICE};
  uint64_t flags = 9;
  EXPECT_EQ(aclrtMemGetAccess(pointer, &location, &flags), ACL_SUCCESS);
  EXPECT_EQ(flags, uint64_t{ACL_RT_MEM_ACCESS_FLAGS_READ});
  location.id = 1;
  EXPECT_EQ(aclrtMemGetAccess(pointer, &location, &flags), ACL_SUCCESS);
  EXPECT_EQ(flags, uint64_t{ACL_RT_MEM_ACCESS_FLAGS_NONE});
  access.flags = static_cast<aclrtMemAccessFlags>(2);
  EXPECT_EQ(aclrtMemSetAccess(pointer, kUnit, &access, 1), ACL_ERROR_RT_PARAM_INVALID);
  access.flags = ACL_RT_MEM_ACCESS_FLAGS_READWRITE;
  EXPECT_EQ(aclrtMemSetAccess(pointer, kUnit / 2, &access, 1), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_THAT(recent_error(), HasSubstr("not made of whole mappings"));
  EXPECT_EQ(aclrtMemSetAccess(pointer, kUnit, &access, 0), ACL_ERROR_RT_PARAM_INVALID);
  access.location.id = 99;
  EXPECT_EQ(aclrtMemSetAccess(pointer, kUnit, &access, 1), ACL_ERROR_RT_INVALID_DEVICEID);
  EXPECT_EQ(aclrtUnmapMem(pointer), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemGetAccess(pointer, &location, &flags), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtFreePhysical(handle), ACL_SUCCESS);
  EXPECT_EQ(aclrtReleaseMemAddress(pointer), ACL_SUCCESS);
}

TEST_F(VirtualMemory, HandlesComeBackFromAddressesAndTellTheirProperties) {
  void* pointer = reserve(kUnit);
  aclrtDrvMemHandle handle = physical(), same = nullptr;
  ASSERT_EQ(aclrtMapMem(pointer, kUnit, 0, handle, 0), ACL_SUCCESS);
  ASSERT_EQ(aclrtMemRetainAllocationHandle(static_cast<char*>(pointer) + 5, &same), ACL_SUCCESS);
  aclrtPhysicalMemProp prop{};
  ASSERT_EQ(aclrtMemGetAllocationPropertiesFromHandle(same, &prop), ACL_SUCCESS);
  EXPECT_EQ(prop.memAttr, ACL_HBM_MEM_HUGE);
  EXPECT_EQ(prop.location.type, ACL_MEM_LOCATION_TYPE_DEVICE);
  EXPECT_EQ(aclrtFreePhysical(handle), ACL_SUCCESS);
  EXPECT_EQ(aclrtFreePhysical(handle), ACL_ERROR_RT_INVALID_HANDLE);
  EXPECT_EQ(aclrtMemGetAllocationPropertiesFromHandle(handle, &prop), ACL_ERROR_RT_INVALID_HANDLE);
  EXPECT_EQ(aclrtFreePhysical(same), ACL_SUCCESS);
  EXPECT_EQ(aclrtUnmapMem(pointer), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemRetainAllocationHandle(pointer, &same), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtReleaseMemAddress(pointer), ACL_SUCCESS);
}

TEST_F(VirtualMemory, HostMemoryIsPinnedAndNotCharged) {
  const auto prop = properties(ACL_MEM_LOCATION_TYPE_HOST);
  aclrtDrvMemHandle handle = nullptr;
  const size_t before = free_memory();
  ASSERT_EQ(aclrtMallocPhysical(&handle, kUnit, &prop, 0), ACL_SUCCESS);
  EXPECT_EQ(free_memory(), before);
  void* pointer = reserve(kUnit);
  ASSERT_EQ(aclrtMapMem(pointer, kUnit, 0, handle, 0), ACL_SUCCESS);
  aclrtPtrAttributes about{};
  ASSERT_EQ(aclrtPointerGetAttributes(pointer, &about), ACL_SUCCESS);
  EXPECT_EQ(about.location.type, ACL_MEM_LOCATION_TYPE_HOST);
  EXPECT_EQ(aclrtUnmapMem(pointer), ACL_SUCCESS);
  EXPECT_EQ(aclrtFreePhysical(handle), ACL_SUCCESS);
  EXPECT_EQ(aclrtReleaseMemAddress(pointer), ACL_SUCCESS);
}

TEST_F(VirtualMemory, RefusesBadArguments) {
  auto prop = properties();
  size_t unit = 0;
  EXPECT_EQ(aclrtMemGetAllocationGranularity(nullptr, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, &unit),
            ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMemGetAllocationGranularity(&prop, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, nullptr),
            ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMemGetAllocationGranularity(&prop, ACL_RT_MEM_ALLOC_GRANULARITY_UNDEF, &unit),
            ACL_ERROR_INVALID_PARAM);
  aclrtDrvMemHandle handle = nullptr;
  EXPECT_EQ(aclrtMallocPhysical(nullptr, kUnit, &prop, 0), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMallocPhysical(&handle, kUnit, nullptr, 0), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMallocPhysical(&handle, 0, &prop, 0), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtMallocPhysical(&handle, kUnit + 4096, &prop, 0), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_THAT(recent_error(), HasSubstr("must be a multiple of 2097152"));
  EXPECT_EQ(aclrtMallocPhysical(&handle, kUnit, &prop, 1), ACL_ERROR_RT_PARAM_INVALID);
  prop.location.id = 99;
  EXPECT_EQ(aclrtMallocPhysical(&handle, kUnit, &prop, 0), ACL_ERROR_RT_INVALID_DEVICEID);
  prop.location = {0, ACL_MEM_LOCATION_TYPE_MANAGED};
  EXPECT_EQ(aclrtMallocPhysical(&handle, kUnit, &prop, 0), ACL_ERROR_RT_PARAM_INVALID);
  prop = properties();
  prop.memAttr = static_cast<aclrtMemAttr>(50);
  EXPECT_EQ(aclrtMallocPhysical(&handle, kUnit, &prop, 0), ACL_ERROR_RT_PARAM_INVALID);
  prop = properties();
  EXPECT_EQ(aclrtMallocPhysical(&handle, size_t{1} << 50, &prop, 0), ACL_ERROR_RT_MEMORY_ALLOCATION);
  EXPECT_EQ(handle, nullptr);

  void* pointer = nullptr;
  EXPECT_EQ(aclrtReserveMemAddress(nullptr, kUnit, 0, nullptr, 0), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtReserveMemAddress(&pointer, 0, 0, nullptr, 0), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtReserveMemAddress(&pointer, kUnit, 3, nullptr, 0), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtReserveMemAddress(&pointer, kUnit, 0, nullptr, 2), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtReserveMemAddress(&pointer, SIZE_MAX / 2, 0, nullptr, 0), ACL_ERROR_RT_MEMORY_ALLOCATION);
  EXPECT_EQ(aclrtReleaseMemAddress(nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtReleaseMemAddress(&pointer), ACL_ERROR_RT_PARAM_INVALID);
  without_context([&] {
    EXPECT_EQ(aclrtReserveMemAddress(&pointer, kUnit, 0, nullptr, 0), ACL_ERROR_RT_CONTEXT_NULL);
    EXPECT_EQ(aclrtMallocPhysical(&handle, kUnit, &prop, 0), ACL_ERROR_RT_CONTEXT_NULL);
  });
}

TEST_F(VirtualMemory, RefusesMappingsThatDoNotFit) {
  auto* pointer = static_cast<char*>(reserve(2 * kUnit));
  aclrtDrvMemHandle handle = physical();
  EXPECT_EQ(aclrtMapMem(nullptr, kUnit, 0, handle, 0), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMapMem(pointer, kUnit, 0, nullptr, 0), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMapMem(pointer, kUnit, 0, pointer, 0), ACL_ERROR_RT_INVALID_HANDLE);
  EXPECT_EQ(aclrtMapMem(pointer, kUnit, 0, handle, 1), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtMapMem(pointer, 0, 0, handle, 0), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtMapMem(pointer + 1, kUnit, 0, handle, 0), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtMapMem(pointer, 2 * kUnit, 0, handle, 0), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_THAT(recent_error(), HasSubstr("more than the 2097152 of the memory"));
  EXPECT_EQ(aclrtMapMem(pointer + 2 * kUnit - 4096, kUnit, 0, handle, 0), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_THAT(recent_error(), HasSubstr("do not lie in reserved addresses"));
  ASSERT_EQ(aclrtMapMem(pointer, kUnit, 0, handle, 0), ACL_SUCCESS);
  EXPECT_EQ(aclrtMapMem(pointer + 4096, kUnit, 0, handle, 0), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_THAT(recent_error(), HasSubstr("memory is mapped already"));
  EXPECT_EQ(aclrtReleaseMemAddress(pointer), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_THAT(recent_error(), HasSubstr("unmap it first"));
  EXPECT_EQ(aclrtUnmapMem(pointer + 4096), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtUnmapMem(nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtUnmapMem(pointer), ACL_SUCCESS);
  EXPECT_EQ(aclrtUnmapMem(pointer), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtFreePhysical(handle), ACL_SUCCESS);
  EXPECT_EQ(aclrtReleaseMemAddress(pointer), ACL_SUCCESS);
}

class ShareableHandle : public VirtualMemory {};

// The partner: imports the memory it is told of, expects a word in it and answers with another.
TEST_F(ShareableHandle, DISABLED_Importer) {
  const uint64_t shareable = std::stoull(told());
  const auto expected = static_cast<aclError>(std::stoi(told()));
  aclrtDrvMemHandle handle = nullptr;
  ASSERT_EQ(aclrtMemImportFromShareableHandle(shareable, 1, &handle), expected);
  if (expected != ACL_SUCCESS) return;
  auto* pointer = static_cast<char*>(reserve(kUnit));
  ASSERT_EQ(aclrtMapMem(pointer, kUnit, 0, handle, 0), ACL_SUCCESS);
  EXPECT_STREQ(on_device(pointer, 6).data(), "hello");
  put_on_device(pointer, "and back", 9);
  aclrtPtrAttributes about{};
  ASSERT_EQ(aclrtPointerGetAttributes(pointer, &about), ACL_SUCCESS);
  EXPECT_EQ(about.location.id, 1u);
}

TEST_F(ShareableHandle, IsImportedByTheProcessesThatWereAdmitted) {
  auto* pointer = static_cast<char*>(reserve(kUnit));
  aclrtDrvMemHandle handle = physical();
  ASSERT_EQ(aclrtMapMem(pointer, kUnit, 0, handle, 0), ACL_SUCCESS);
  put_on_device(pointer, "hello", 6);
  uint64_t shareable = 0;
  ASSERT_EQ(aclrtMemExportToShareableHandle(handle, ACL_MEM_HANDLE_TYPE_NONE, 0, &shareable), ACL_SUCCESS);
  Partner admitted("ShareableHandle.DISABLED_Importer"), stranger("ShareableHandle.DISABLED_Importer");
  int32_t pid = admitted.pid();
  ASSERT_EQ(aclrtMemSetPidToShareableHandle(shareable, &pid, 1), ACL_SUCCESS);
  stranger.tell(std::to_string(shareable));
  stranger.tell(std::to_string(ACL_ERROR_RT_NO_PERMISSION));
  EXPECT_TRUE(stranger.finish());
  EXPECT_STREQ(on_device(pointer, 6).data(), "hello");
  admitted.tell(std::to_string(shareable));
  admitted.tell(std::to_string(ACL_SUCCESS));
  EXPECT_TRUE(admitted.finish());
  EXPECT_STREQ(on_device(pointer, 9).data(), "and back");

  ASSERT_EQ(aclrtUnmapMem(pointer), ACL_SUCCESS);
  ASSERT_EQ(aclrtFreePhysical(handle), ACL_SUCCESS);
  aclrtDrvMemHandle late = nullptr;
  EXPECT_EQ(aclrtMemImportFromShareableHandle(shareable, 0, &late), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_THAT(recent_error(), HasSubstr("does not export this memory; it may have been freed"));
  EXPECT_EQ(aclrtMemSetPidToShareableHandle(shareable, &pid, 1), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtReleaseMemAddress(pointer), ACL_SUCCESS);
}

TEST_F(ShareableHandle, NewFormCarriesNumbersAndFabricHandles) {
  aclrtDrvMemHandle handle = physical(), imported = nullptr;
  uint64_t number = 0;
  aclrtMemFabricHandle fabric{};
  ASSERT_EQ(aclrtMemExportToShareableHandleV2(handle, 1, ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT, &number), ACL_SUCCESS);
  ASSERT_EQ(aclrtMemExportToShareableHandleV2(handle, 1, ACL_MEM_SHARE_HANDLE_TYPE_FABRIC, &fabric), ACL_SUCCESS);
  ASSERT_EQ(aclrtMemImportFromShareableHandleV2(&number, ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT, 0, &imported), ACL_SUCCESS);
  EXPECT_EQ(aclrtFreePhysical(imported), ACL_SUCCESS);
  ASSERT_EQ(aclrtMemImportFromShareableHandleV2(&fabric, ACL_MEM_SHARE_HANDLE_TYPE_FABRIC, 0, &imported), ACL_SUCCESS);
  EXPECT_EQ(aclrtFreePhysical(imported), ACL_SUCCESS);
  int32_t pid = 1;
  EXPECT_EQ(aclrtMemSetPidToShareableHandleV2(&fabric, ACL_MEM_SHARE_HANDLE_TYPE_FABRIC, &pid, 1), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemSetPidToShareableHandleV2(&fabric, ACL_MEM_SHARE_HANDLE_TYPE_FABRIC, &pid, 0),
            ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtMemSetPidToShareableHandle(number, nullptr, 1), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMemExportToShareableHandleV2(handle, 1, static_cast<aclrtMemSharedHandleType>(3), &number),
            ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMemExportToShareableHandleV2(handle, 2, ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT, &number),
            ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtMemExportToShareableHandle(handle, ACL_MEM_HANDLE_TYPE_NONE, 0, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMemImportFromShareableHandle(number, 99, &imported), ACL_ERROR_RT_INVALID_DEVICEID);
  EXPECT_EQ(aclrtMemImportFromShareableHandle(number ^ 1, 0, &imported), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtMemImportFromShareableHandle(0, 0, &imported), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtFreePhysical(handle), ACL_SUCCESS);
}

}  // namespace
