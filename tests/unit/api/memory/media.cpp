// SPDX-License-Identifier: Apache-2.0
#define ENABLE_DVPP_INTERFACE
#include "acl/ops/acl_dvpp.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "support/device.h"

namespace {

using namespace belay::test;
using testing::HasSubstr;

class MediaMemory : public WithDevice {};

size_t free_bytes() {
  size_t free = 0, total = 0;
  EXPECT_EQ(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total), ACL_SUCCESS);
  return free;
}

TEST_F(MediaMemory, IsDeviceMemoryThatStartsAtAMultipleOf128) {
  std::vector<void*> blocks;
  for (const size_t size : {0, 1, 31, 32, 33, 100, 500, 513, 4096, 100000}) {
    void* block = nullptr;
    ASSERT_EQ(acldvppMalloc(&block, size), ACL_SUCCESS);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % 128, 0u) << size;
    aclrtPtrAttributes about{};
    ASSERT_EQ(aclrtPointerGetAttributes(block, &about), ACL_SUCCESS);
    EXPECT_EQ(about.location.type, ACL_MEM_LOCATION_TYPE_DEVICE);
    blocks.push_back(block);
  }
  std::vector<char> sent(100000, 7), received(100000);
  EXPECT_EQ(aclrtMemcpy(blocks.back(), 100000, sent.data(), 100000, ACL_MEMCPY_HOST_TO_DEVICE), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemcpy(received.data(), 100000, blocks.back(), 100000, ACL_MEMCPY_DEVICE_TO_HOST), ACL_SUCCESS);
  EXPECT_EQ(sent, received);
  for (void* block : blocks) EXPECT_EQ(acldvppFree(block), ACL_SUCCESS);
}

TEST_F(MediaMemory, TakesTheSizeRoundedUpTo32And32More) {
  const size_t before = free_bytes();
  void* block = nullptr;
  ASSERT_EQ(acldvppMalloc(&block, 1000), ACL_SUCCESS);
  EXPECT_EQ(before - free_bytes(), 1024u + 32u);
  EXPECT_EQ(acldvppFree(block), ACL_SUCCESS);
  EXPECT_EQ(free_bytes(), before);
}

TEST_F(MediaMemory, RefusesWhatIsDocumented) {
  void* block = &block;
  EXPECT_EQ(acldvppMalloc(nullptr, 10), ACL_ERROR_INVALID_PARAM);
  EXPECT_THAT(recent_error(), HasSubstr("devPtr must not be null"));
  EXPECT_EQ(acldvppMalloc(&block, std::numeric_limits<size_t>::max() - 63), ACL_ERROR_INVALID_PARAM);
  EXPECT_THAT(recent_error(), HasSubstr("too large"));
  EXPECT_EQ(block, &block) << "an out-parameter stays as it is";
  EXPECT_EQ(acldvppFree(nullptr), ACL_ERROR_INVALID_PARAM);
  int local = 0;
  EXPECT_NE(acldvppFree(&local), ACL_SUCCESS);
}

TEST_F(MediaMemory, AConfigurationMayBeNull) {
  void* block = nullptr;
  ASSERT_EQ(acldvppMallocWithCfg(&block, 10, ACL_MEM_MALLOC_HUGE_FIRST, nullptr), ACL_SUCCESS);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % 128, 0u);
  EXPECT_EQ(acldvppFree(block), ACL_SUCCESS);
}

TEST_F(MediaMemory, TheOtherFunctionsRefuseByName) {
  EXPECT_EQ(acldvppCreatePicDesc(), nullptr);
  EXPECT_THAT(recent_error(), HasSubstr("acldvppCreatePicDesc"));
  EXPECT_EQ(acldvppCreateChannel(nullptr), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
  EXPECT_THAT(recent_error(), HasSubstr("acldvppCreateChannel"));
}

}  // namespace
