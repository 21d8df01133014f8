// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <set>

#include "acl/acl.h"
#include "acl/acl_platform.h"
#include "support/child.h"

namespace {

using belay::test::expect_passes_with;
using testing::ElementsAre;
using testing::HasSubstr;

int64_t info(aclrtDevAttr attribute, uint32_t device = 0) {
  int64_t value = -1;
  EXPECT_EQ(aclrtGetDeviceInfo(device, attribute, &value), ACL_SUCCESS) << attribute;
  return value;
}

TEST(DeviceInfo, AnswersWithTheNumbersOfTheSoc) {
  EXPECT_STREQ(aclrtGetSocName(), "Ascend910B3");
  EXPECT_EQ(info(ACL_DEV_ATTR_AICPU_CORE_NUM), 6);
  EXPECT_EQ(info(ACL_DEV_ATTR_AICORE_CORE_NUM), 20);
  EXPECT_EQ(info(ACL_DEV_ATTR_CUBE_CORE_NUM), 20);
  EXPECT_EQ(info(ACL_DEV_ATTR_VECTOR_CORE_NUM), 40);
  EXPECT_EQ(info(ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE), 68719476736);
  EXPECT_EQ(info(ACL_DEV_ATTR_L2_CACHE_SIZE), 201326592);
  EXPECT_EQ(info(ACL_DEV_ATTR_PHY_CHIP_ID, 3), 3);
  EXPECT_EQ(info(ACL_DEV_ATTR_NPU_ARCH), 2201);
  for (const int zero :
       {202, 203, 204, 205, 206, 207, 208, 209, 210, 211, 212, 401, 403, 404, 405, 406, 407, 408, 409, 501})
    EXPECT_EQ(info(static_cast<aclrtDevAttr>(zero)), 0) << zero;
}

TEST(DeviceInfo, RefusesUnknownDevicesAndAttributesWith107000) {
  int64_t value = 5;
  EXPECT_EQ(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_NPU_ARCH, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtGetDeviceInfo(8, ACL_DEV_ATTR_NPU_ARCH, &value), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtGetDeviceInfo(UINT32_MAX, ACL_DEV_ATTR_NPU_ARCH, &value), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtGetDeviceInfo(0, static_cast<aclrtDevAttr>(999), &value), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_THAT(aclGetRecentErrMsg(), HasSubstr("attribute 999"));
  EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(value, 5);
}

TEST(DeviceInfo, TheOldCapabilityCallGivesTheSameNumbersAndOtherErrors) {
  int64_t value = 0;
  EXPECT_EQ(aclGetDeviceCapability(0, ACL_DEVICE_INFO_AI_CORE_NUM, &value), ACL_SUCCESS);
  EXPECT_EQ(value, 20);
  EXPECT_EQ(aclGetDeviceCapability(0, ACL_DEVICE_INFO_VECTOR_CORE_NUM, &value), ACL_SUCCESS);
  EXPECT_EQ(value, 40);
  EXPECT_EQ(aclGetDeviceCapability(0, ACL_DEVICE_INFO_L2_SIZE, &value), ACL_SUCCESS);
  EXPECT_EQ(value, 201326592);
  EXPECT_EQ(aclGetDeviceCapability(99, ACL_DEVICE_INFO_L2_SIZE, &value), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclGetDeviceCapability(0, ACL_DEVICE_INFO_UNDEFINED, &value), ACL_ERROR_INVALID_PARAM);
}

TEST(CannAttribute, ListsWhatThisClassHas) {
  const aclCannAttr* list = nullptr;
  size_t count = 0;
  ASSERT_EQ(aclGetCannAttributeList(&list, &count), ACL_SUCCESS);
  EXPECT_THAT(std::vector(list, list + count),
              ElementsAre(ACL_CANN_ATTR_INF_NAN, ACL_CANN_ATTR_BF16, ACL_CANN_ATTR_JIT_COMPILE));
  int32_t value = 0;
  EXPECT_EQ(aclGetCannAttribute(ACL_CANN_ATTR_BF16, &value), ACL_SUCCESS);
  EXPECT_EQ(value, 1);
  EXPECT_EQ(aclGetCannAttribute(static_cast<aclCannAttr>(7), &value), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclGetCannAttributeList(nullptr, &count), ACL_ERROR_INVALID_PARAM);
}

TEST(DeviceCount, IsEightByDefault) {
  uint32_t count = 0;
  EXPECT_EQ(aclrtGetDeviceCount(&count), ACL_SUCCESS);
  EXPECT_EQ(count, 8u);
  EXPECT_EQ(aclrtGetDeviceCount(nullptr), ACL_ERROR_INVALID_PARAM);
}

TEST(DeviceCountChild, DISABLED_NoDevice) {
  uint32_t count = 77;
  EXPECT_EQ(aclrtGetDeviceCount(&count), ACL_ERROR_RT_NO_DEVICE);
  EXPECT_EQ(count, 77u);
  EXPECT_THAT(aclGetRecentErrMsg(), HasSubstr("ASCEND_RT_VISIBLE_DEVICES"));
}

TEST(DeviceCount, NoneVisibleIsAnError) {
  expect_passes_with({{"BELAY_DEVICES", "0"}}, "DeviceCountChild.DISABLED_NoDevice");
  expect_passes_with({{"ASCEND_RT_VISIBLE_DEVICES", "9"}}, "DeviceCountChild.DISABLED_NoDevice");
}

TEST(DeviceIdsChild, DISABLED_Filtered) {
  uint32_t count = 0;
  int32_t id = -1;
  EXPECT_EQ(aclrtGetDeviceCount(&count), ACL_SUCCESS);
  EXPECT_EQ(count, 2u);
  EXPECT_EQ(aclrtGetPhyDevIdByUserDevId(1, &id), ACL_SUCCESS);
  EXPECT_EQ(id, 5);
  EXPECT_EQ(aclrtGetLogicDevIdByUserDevId(0, &id), ACL_SUCCESS);
  EXPECT_EQ(id, 2);
  EXPECT_EQ(aclrtGetUserDevIdByPhyDevId(5, &id), ACL_SUCCESS);
  EXPECT_EQ(id, 1);
  EXPECT_EQ(aclrtGetUserDevIdByLogicDevId(2, &id), ACL_SUCCESS);
  EXPECT_EQ(id, 0);
  EXPECT_EQ(aclrtGetPhyDevIdByLogicDevId(5, &id), ACL_SUCCESS);
  EXPECT_EQ(id, 5);
  EXPECT_EQ(aclrtGetLogicDevIdByPhyDevId(5, &id), ACL_SUCCESS);
  EXPECT_EQ(id, 5);
  EXPECT_EQ(aclrtGetUserDevIdByPhyDevId(0, &id), ACL_ERROR_RT_INVALID_DEVICEID);
  EXPECT_EQ(aclrtGetPhyDevIdByUserDevId(2, &id), ACL_ERROR_RT_INVALID_DEVICEID);
  EXPECT_EQ(info(ACL_DEV_ATTR_PHY_CHIP_ID, 1), 5);
  EXPECT_EQ(info(ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE), 1073741824);
}

TEST(DeviceIds, AFilterSeparatesUserFromPhysicalIds) {
  expect_passes_with({{"ASCEND_RT_VISIBLE_DEVICES", "2,5"}, {"BELAY_DEVICE_MEMORY", "1G"}},
                     "DeviceIdsChild.DISABLED_Filtered");
}

TEST(DeviceInfoChild, DISABLED_OldInferenceCard) {
  int64_t value = 0;
  EXPECT_STREQ(aclrtGetSocName(), "Ascend310P3");
  EXPECT_EQ(info(ACL_DEV_ATTR_VECTOR_CORE_NUM), 7);
  EXPECT_EQ(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_CUBE_CORE_NUM, &value), ACL_ERROR_RT_PARAM_INVALID);
  const aclCannAttr* list = nullptr;
  size_t count = 0;
  EXPECT_EQ(aclGetCannAttributeList(&list, &count), ACL_SUCCESS);
  EXPECT_EQ(count, 1u);
  EXPECT_EQ(list[0], ACL_CANN_ATTR_JIT_COMPILE);
}

TEST(DeviceInfo, TheSocCanBeChosen) {
  expect_passes_with({{"BELAY_SOC_NAME", "Ascend310P3"}}, "DeviceInfoChild.DISABLED_OldInferenceCard");
}

TEST(DeviceIds, UuidsAreSixteenBytesAndDiffer) {
  std::set<std::string> seen;
  for (int device = 0; device < 8; ++device) {
    aclrtUuid uuid{};
    ASSERT_EQ(aclrtDeviceGetUuid(device, &uuid), ACL_SUCCESS);
    seen.insert(std::string(uuid.bytes, sizeof uuid.bytes));
  }
  EXPECT_EQ(seen.size(), 8u);
  aclrtUuid uuid{};
  EXPECT_EQ(aclrtDeviceGetUuid(8, &uuid), ACL_ERROR_RT_INVALID_DEVICEID);
  EXPECT_EQ(aclrtDeviceGetUuid(0, nullptr), ACL_ERROR_INVALID_PARAM);
}

TEST(DeviceIds, APciAddressLeadsBackToItsDevice) {
  for (int device = 0; device < 8; ++device) {
    char address[13];
    int32_t found = -1;
    ASSERT_EQ(aclrtDeviceGetPCIBusId(device, address, sizeof address), ACL_SUCCESS);
    EXPECT_THAT(address, testing::MatchesRegex("[0-9A-F]{4}:[0-9A-F]{2}:00.0"));
    EXPECT_EQ(aclrtDeviceGetByPCIBusId(address, &found), ACL_SUCCESS);
    EXPECT_EQ(found, device);
  }
  char small[12];
  int32_t found = 9;
  EXPECT_EQ(aclrtDeviceGetPCIBusId(0, small, sizeof small), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_THAT(aclGetRecentErrMsg(), HasSubstr("13 or more"));
  for (const char* bad : {"", "0000:08:00.0", "0000:00:00.1", "0000:00:00.0x", "nonsense"})
    EXPECT_EQ(aclrtDeviceGetByPCIBusId(bad, &found), ACL_ERROR_RT_PARAM_INVALID) << bad;
  EXPECT_EQ(found, 9);
}

TEST(DeviceIds, TheDeviceSideProcessIsThisOne) {
  int32_t pid = 0;
  EXPECT_EQ(aclrtDeviceGetBareTgid(&pid), ACL_SUCCESS);
  EXPECT_EQ(pid, getpid());
}

TEST(DeviceIds, TrainingCardsAreJoinedByHccs) {
  uint64_t link = 0;
  EXPECT_EQ(aclrtGetDevicesTopo(0, 7, &link), ACL_SUCCESS);
  EXPECT_EQ(link, ACL_RT_DEVS_TOPOLOGY_HCCS);
  EXPECT_EQ(aclrtGetDevicesTopo(0, 8, &link), ACL_ERROR_RT_INVALID_DEVICEID);
}

TEST(DeviceStatus, IsNormalAndTheLoadUnknown) {
  aclrtDeviceStatus status = ACL_RT_DEVICE_STATUS_END;
  EXPECT_EQ(aclrtQueryDeviceStatus(0, &status), ACL_SUCCESS);
  EXPECT_EQ(status, ACL_RT_DEVICE_STATUS_NORMAL);
  aclrtUtilizationInfo load{};
  EXPECT_EQ(aclrtGetDeviceUtilizationRate(0, &load), ACL_SUCCESS);
  EXPECT_EQ(load.memoryUtilization, -1);
  int reserved = 0;
  load.utilizationExtend = reinterpret_cast<aclrtUtilizationExtendInfo*>(&reserved);
  EXPECT_EQ(aclrtGetDeviceUtilizationRate(0, &load), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtQueryDeviceStatus(-1, &status), ACL_ERROR_RT_INVALID_DEVICEID);
}

TEST(DeviceStatus, NothingIsBrokenAndNothingCanBeRepaired) {
  aclrtErrorInfo error;
  memset(&error, 0xff, sizeof error);
  EXPECT_EQ(aclrtGetErrorVerbose(0, &error), ACL_SUCCESS);
  EXPECT_EQ(error.errorType, ACL_RT_NO_ERROR);
  EXPECT_EQ(error.hasDetail, 0);
  EXPECT_EQ(aclrtRepairError(0, &error), ACL_SUCCESS);
  error.errorType = ACL_RT_ERROR_L2;
  EXPECT_EQ(aclrtRepairError(0, &error), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
  EXPECT_EQ(aclrtGetErrorVerbose(8, &error), ACL_ERROR_RT_INVALID_DEVICEID);
  EXPECT_EQ(aclrtGetErrorVerbose(0, nullptr), ACL_ERROR_INVALID_PARAM);
}

TEST(DeviceAbilities, AreRefusedOrAnsweredWithNo) {
  int32_t value = 7;
  EXPECT_EQ(aclrtGetDeviceCapability(0, ACL_FEATURE_SYSTEM_MEMQ_EVENT_CROSS_DEV, &value), ACL_SUCCESS);
  EXPECT_EQ(value, ACL_DEV_FEATURE_NOT_SUPPORT);
  EXPECT_EQ(aclrtGetDeviceCapability(0, static_cast<aclrtDevFeatureType>(2), &value), ACL_ERROR_RT_PARAM_INVALID);
  const aclrtAtomicOperation operations[] = {ACL_RT_ATOMIC_OPERATION_CAS, ACL_RT_ATOMIC_OPERATION_DMA_ADD};
  uint32_t masks[] = {9, 9};
  EXPECT_EQ(aclrtDeviceGetHostAtomicCapabilities(masks, operations, 2, 0), ACL_SUCCESS);
  EXPECT_THAT(masks, ElementsAre(0, 0));
  EXPECT_EQ(aclrtDeviceGetP2PAtomicCapabilities(masks, operations, 2, 0, 8), ACL_ERROR_RT_INVALID_DEVICEID);
  const auto unknown = static_cast<aclrtAtomicOperation>(13);
  EXPECT_EQ(aclrtDeviceGetHostAtomicCapabilities(masks, &unknown, 1, 0), ACL_ERROR_RT_PARAM_INVALID);
}

TEST(ArchCompatibility, IsThatOfTheArchitecture) {
  int32_t can = -1;
  EXPECT_EQ(aclrtCheckArchCompatibility("Ascend910B1", &can), ACL_SUCCESS);
  EXPECT_EQ(can, 1);
  EXPECT_EQ(aclrtCheckArchCompatibility("Ascend310P3", &can), ACL_SUCCESS);
  EXPECT_EQ(can, 0);
  EXPECT_EQ(aclrtCheckArchCompatibility("Ascend1", &can), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtCheckArchCompatibility(nullptr, &can), ACL_ERROR_INVALID_PARAM);
}

TEST(Platform, GivesTheSameNumbersAsText) {
  char value[32];
  EXPECT_EQ(aclplatformGetDeviceInfo(ACL_PLATFORM_AICORE_CNT, value, sizeof value), ACL_SUCCESS);
  EXPECT_STREQ(value, "20");
  EXPECT_EQ(aclplatformGetDeviceInfo(ACL_PLATFORM_SOC_VERSION, value, sizeof value), ACL_SUCCESS);
  EXPECT_STREQ(value, "Ascend910B3");
  EXPECT_EQ(aclplatformGetDeviceInfo(ACL_PLATFORM_SOC_VERSION, value, 11), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclplatformGetDeviceInfo(ACL_PLATFORM_CUBE_FREQ, value, sizeof value), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
  EXPECT_EQ(aclplatformGetDeviceInfo(static_cast<aclplatformDevInfo>(17), value, sizeof value),
            ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclplatformGetDeviceInfo(ACL_PLATFORM_AICORE_CNT, nullptr, 1), ACL_ERROR_INVALID_PARAM);
}

}  // namespace
