// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "acl/acl.h"

namespace {

using testing::HasSubstr;

// Device 1 is set on this thread while the test runs.
class ResourceLimits : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(aclrtSetDevice(1), ACL_SUCCESS);
    ASSERT_EQ(aclrtCreateStream(&stream_), ACL_SUCCESS);
  }
  void TearDown() override {
    aclrtResetDeviceResLimit(1);
    aclrtDestroyStream(stream_);
    aclrtResetDevice(1);
  }
  static uint32_t device_cores(int32_t device = 1) {
    uint32_t value = 0;
    EXPECT_EQ(aclrtGetDeviceResLimit(device, ACL_RT_DEV_RES_VECTOR_CORE, &value), ACL_SUCCESS);
    return value;
  }
  uint32_t stream_cores() const {
    uint32_t value = 0;
    EXPECT_EQ(aclrtGetStreamResLimit(stream_, ACL_RT_DEV_RES_VECTOR_CORE, &value), ACL_SUCCESS);
    return value;
  }
  static uint32_t thread_cores() {
    uint32_t value = 0;
    EXPECT_EQ(aclrtGetResInCurrentThread(ACL_RT_DEV_RES_VECTOR_CORE, &value), ACL_SUCCESS);
    return value;
  }
  aclrtStream stream_ = nullptr;
};

TEST_F(ResourceLimits, AreAtFirstWhatTheSocHas) {
  EXPECT_EQ(device_cores(), 40u);
  EXPECT_EQ(stream_cores(), 40u);
  EXPECT_EQ(thread_cores(), 40u);
  uint32_t cubes = 0;
  EXPECT_EQ(aclrtGetDeviceResLimit(1, ACL_RT_DEV_RES_CUBE_CORE, &cubes), ACL_SUCCESS);
  EXPECT_EQ(cubes, 20u);
}

TEST_F(ResourceLimits, OfADeviceHoldForItsStreamsAndNotForOtherDevices) {
  EXPECT_EQ(aclrtSetDeviceResLimit(1, ACL_RT_DEV_RES_VECTOR_CORE, 8), ACL_SUCCESS);
  EXPECT_EQ(device_cores(), 8u);
  EXPECT_EQ(stream_cores(), 8u);
  EXPECT_EQ(thread_cores(), 8u);
  EXPECT_EQ(device_cores(2), 40u);
  EXPECT_EQ(aclrtResetDeviceResLimit(1), ACL_SUCCESS);
  EXPECT_EQ(device_cores(), 40u);
}

TEST_F(ResourceLimits, OfAStreamCountOnThreadsThatUseThem) {
  EXPECT_EQ(aclrtSetStreamResLimit(stream_, ACL_RT_DEV_RES_VECTOR_CORE, 5), ACL_SUCCESS);
  EXPECT_EQ(stream_cores(), 5u);
  EXPECT_EQ(thread_cores(), 40u);
  EXPECT_EQ(aclrtUseStreamResInCurrentThread(stream_), ACL_SUCCESS);
  EXPECT_EQ(thread_cores(), 5u);
  std::thread([] {
    aclrtSetDevice(1);
    EXPECT_EQ(thread_cores(), 40u);
    aclrtResetDevice(1);
  }).join();
  EXPECT_EQ(aclrtUnuseStreamResInCurrentThread(nullptr), ACL_SUCCESS);  // another stream: no effect
  EXPECT_EQ(thread_cores(), 5u);
  EXPECT_EQ(aclrtUnuseStreamResInCurrentThread(stream_), ACL_SUCCESS);
  EXPECT_EQ(thread_cores(), 40u);
  EXPECT_EQ(aclrtResetStreamResLimit(stream_), ACL_SUCCESS);
  EXPECT_EQ(stream_cores(), 40u);
}

TEST_F(ResourceLimits, OfADestroyedStreamAreForgotten) {
  aclrtStream other = nullptr;
  ASSERT_EQ(aclrtCreateStream(&other), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetStreamResLimit(other, ACL_RT_DEV_RES_VECTOR_CORE, 5), ACL_SUCCESS);
  EXPECT_EQ(aclrtUseStreamResInCurrentThread(other), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyStream(other), ACL_SUCCESS);
  EXPECT_EQ(thread_cores(), 40u);
  uint32_t value = 0;
  EXPECT_EQ(aclrtGetStreamResLimit(other, ACL_RT_DEV_RES_VECTOR_CORE, &value), ACL_ERROR_RT_INVALID_HANDLE);
}

TEST_F(ResourceLimits, OutOfRangeAreRefusedWithTheRange) {
  aclGetRecentErrMsg();
  for (const uint32_t bad : {0u, 41u})
    EXPECT_EQ(aclrtSetDeviceResLimit(1, ACL_RT_DEV_RES_VECTOR_CORE, bad), ACL_ERROR_RT_PARAM_INVALID) << bad;
  EXPECT_THAT(aclGetRecentErrMsg(), HasSubstr("1 to 40"));
  EXPECT_EQ(aclrtSetStreamResLimit(stream_, ACL_RT_DEV_RES_CUBE_CORE, 21), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtSetDeviceResLimit(1, static_cast<aclrtDevResLimitType>(2), 1), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtSetDeviceResLimit(99, ACL_RT_DEV_RES_VECTOR_CORE, 1), ACL_ERROR_RT_INVALID_DEVICEID);
  EXPECT_EQ(aclrtGetDeviceResLimit(1, ACL_RT_DEV_RES_VECTOR_CORE, nullptr), ACL_ERROR_INVALID_PARAM);
}

TEST_F(ResourceLimits, SizesAreKeptPerDevice) {
  size_t value = 0;
  EXPECT_EQ(aclrtDeviceGetLimit(ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE, &value), ACL_SUCCESS);
  EXPECT_EQ(value, 32768u);
  EXPECT_EQ(aclrtDeviceGetLimit(ACL_RT_DEV_LIMIT_SIMD_PRINTF_FIFO_SIZE_PER_CORE, &value), ACL_SUCCESS);
  EXPECT_EQ(value, 32768u);
  EXPECT_EQ(aclrtDeviceSetLimit(ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE, 40000), ACL_SUCCESS);
  EXPECT_EQ(aclrtDeviceGetLimit(ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE, &value), ACL_SUCCESS);
  EXPECT_EQ(value, 49152u);  // whole 16 KiB
  EXPECT_EQ(aclrtDeviceSetLimit(ACL_RT_DEV_LIMIT_SIMD_PRINTF_FIFO_SIZE_PER_CORE, 2048), ACL_SUCCESS);
  aclrtSetDevice(2);
  EXPECT_EQ(aclrtDeviceGetLimit(ACL_RT_DEV_LIMIT_SIMD_PRINTF_FIFO_SIZE_PER_CORE, &value), ACL_SUCCESS);
  EXPECT_EQ(value, 32768u);
  aclrtResetDevice(2);
}

TEST_F(ResourceLimits, SizesOutOfRangeOrOfOtherHardwareAreRefused) {
  size_t value = 0;
  EXPECT_EQ(aclrtDeviceSetLimit(ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE, 196609), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtDeviceSetLimit(ACL_RT_DEV_LIMIT_SIMD_PRINTF_FIFO_SIZE_PER_CORE, 1023), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtDeviceSetLimit(ACL_RT_DEV_LIMIT_SIMT_STACK_SIZE, 1024), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
  EXPECT_EQ(aclrtDeviceGetLimit(ACL_RT_DEV_LIMIT_SIMT_PRINTF_FIFO_SIZE, &value), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
  EXPECT_EQ(aclrtDeviceGetLimit(static_cast<aclrtDeviceLimit>(5), &value), ACL_ERROR_RT_PARAM_INVALID);
}

TEST(ResourceLimitsWithoutDevice, NeedAContext) {
  std::thread([] {
    size_t size = 0;
    uint32_t value = 0;
    EXPECT_EQ(aclrtDeviceGetLimit(ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE, &size), ACL_ERROR_RT_CONTEXT_NULL);
    EXPECT_EQ(aclrtDeviceSetLimit(ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE, 65536), ACL_ERROR_RT_CONTEXT_NULL);
    EXPECT_EQ(aclrtGetResInCurrentThread(ACL_RT_DEV_RES_CUBE_CORE, &value), ACL_ERROR_RT_CONTEXT_NULL);
    EXPECT_EQ(aclrtDeviceL2CacheFlush(nullptr), ACL_ERROR_RT_CONTEXT_NULL);
    EXPECT_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_CONTEXT_NULL);
  }).join();
}

TEST_F(ResourceLimits, FlushingTheCacheNeedsNoArgument) {
  int reserved = 0;
  EXPECT_EQ(aclrtDeviceL2CacheFlush(nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclrtDeviceL2CacheFlush(&reserved), ACL_ERROR_INVALID_PARAM);
}

}  // namespace
