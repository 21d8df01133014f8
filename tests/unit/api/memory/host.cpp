// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "acl/acl.h"
#include "support/device.h"

namespace {

using namespace belay::test;
using testing::HasSubstr;

class HostRegister : public WithDevice {};

aclrtMemLocationType type_of(const void* pointer) {
  aclrtPtrAttributes about{};
  EXPECT_EQ(aclrtPointerGetAttributes(pointer, &about), ACL_SUCCESS);
  return about.location.type;
}

TEST_F(HostRegister, MakesOrdinaryMemoryPinnedAtTheSameAddress) {
  std::vector<char> memory(1000);
  void* device = nullptr;
  ASSERT_EQ(aclrtHostRegister(memory.data(), memory.size(), ACL_HOST_REGISTER_MAPPED, &device), ACL_SUCCESS);
  EXPECT_EQ(device, memory.data());
  EXPECT_EQ(type_of(memory.data() + 999), ACL_MEM_LOCATION_TYPE_HOST);
  EXPECT_EQ(aclrtHostUnregister(memory.data()), ACL_SUCCESS);
  EXPECT_EQ(type_of(memory.data()), ACL_MEM_LOCATION_TYPE_UNREGISTERED);
  EXPECT_EQ(aclrtHostUnregister(memory.data()), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_THAT(recent_error(), HasSubstr("was freed already: it was registered host memory"));
}

TEST_F(HostRegister, NewFormWantsFlagsAndAnswersTheDevicePointer) {
  std::vector<char> memory(1000);
  void* device = nullptr;
  ASSERT_EQ(aclrtHostRegisterV2(memory.data(), memory.size(), ACL_HOST_REG_MAPPED | ACL_HOST_REG_PINNED), ACL_SUCCESS);
  ASSERT_EQ(aclrtHostGetDevicePointer(memory.data() + 10, &device, 0), ACL_SUCCESS);
  EXPECT_EQ(device, memory.data() + 10);
  EXPECT_EQ(aclrtHostGetDevicePointer(memory.data(), &device, 1), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtHostUnregister(memory.data()), ACL_SUCCESS);
  EXPECT_EQ(aclrtHostGetDevicePointer(memory.data(), &device, 0), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_THAT(recent_error(), HasSubstr("is ordinary host memory; register it with aclrtHostRegisterV2"));
  ASSERT_EQ(aclrtHostRegisterV2(memory.data(), memory.size(), ACL_HOST_REG_PINNED), ACL_SUCCESS);
  EXPECT_EQ(aclrtHostGetDevicePointer(memory.data(), &device, 0), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_THAT(recent_error(), HasSubstr("without ACL_HOST_REG_MAPPED"));
  EXPECT_EQ(aclrtHostUnregister(memory.data()), ACL_SUCCESS);
}

TEST_F(HostRegister, RefusesOverlapsInteriorPointersAndBadArguments) {
  std::vector<char> memory(1000);
  void* device = nullptr;
  EXPECT_EQ(aclrtHostRegister(nullptr, 10, ACL_HOST_REGISTER_MAPPED, &device), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtHostRegister(memory.data(), 0, ACL_HOST_REGISTER_MAPPED, &device), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtHostRegister(memory.data(), 10, ACL_HOST_REGISTER_MAPPED, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtHostRegister(memory.data(), 10, static_cast<aclrtHostRegisterType>(3), &device),
            ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtHostRegister(memory.data(), 10, ACL_HOST_REGISTER_IOMEMORY, &device),
            ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
  EXPECT_EQ(aclrtHostRegisterV2(memory.data(), 10, 0), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtHostRegisterV2(memory.data(), 10, 1), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtHostUnregister(nullptr), ACL_ERROR_INVALID_PARAM);
  without_context(
      [&] { EXPECT_EQ(aclrtHostRegisterV2(memory.data(), 10, ACL_HOST_REG_PINNED), ACL_ERROR_RT_CONTEXT_NULL); });
  ASSERT_EQ(aclrtHostRegisterV2(memory.data() + 100, 100, ACL_HOST_REG_PINNED), ACL_SUCCESS);
  recent_error();
  EXPECT_EQ(aclrtHostRegisterV2(memory.data(), 101, ACL_HOST_REG_PINNED), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_THAT(recent_error(), HasSubstr("overlap"));
  EXPECT_EQ(aclrtHostRegisterV2(memory.data() + 199, 10, ACL_HOST_REG_PINNED), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtHostRegisterV2(memory.data(), 1000, ACL_HOST_REG_PINNED), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtHostUnregister(memory.data() + 101), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtHostUnregister(memory.data() + 100), ACL_SUCCESS);
  DeviceMemory block(100);
  EXPECT_EQ(aclrtHostRegisterV2(block.pointer, 10, ACL_HOST_REG_PINNED), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtHostUnregister(block.pointer), ACL_ERROR_RT_PARAM_INVALID);
}

TEST_F(HostRegister, EveryEngineReachesMappedHostMemory) {
  auto capability = ACL_RT_HOST_MEM_MAP_NOT_SUPPORTED;
  EXPECT_EQ(aclrtHostMemMapCapabilities(0, ACL_RT_HAC_TYPE_AIC, &capability), ACL_SUCCESS);
  EXPECT_EQ(capability, ACL_RT_HOST_MEM_MAP_SUPPORTED);
  EXPECT_EQ(aclrtHostMemMapCapabilities(0, ACL_RT_HAC_TYPE_AIC, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtHostMemMapCapabilities(99, ACL_RT_HAC_TYPE_AIC, &capability), ACL_ERROR_RT_INVALID_DEVICEID);
  EXPECT_EQ(aclrtHostMemMapCapabilities(0, static_cast<aclrtHacType>(10), &capability), ACL_ERROR_RT_PARAM_INVALID);
}

}  // namespace
