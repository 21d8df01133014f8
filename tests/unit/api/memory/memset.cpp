// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "acl/acl.h"
#include "support/device.h"

namespace {

using namespace belay::test;
using testing::Each;
using testing::HasSubstr;

class Memset : public WithDevice {};

template <class T>
std::vector<T> content(const DeviceMemory& memory, size_t count) {
  return memory.values<T>(count);
}

TEST_F(Memset, SetsTheBytesAtOnceOrInStreamOrder) {
  DeviceMemory device(100);
  ASSERT_EQ(aclrtMemset(device.pointer, 100, 0x1ab, 100), ACL_SUCCESS);
  EXPECT_THAT(content<unsigned char>(device, 100), Each(0xab));
  TestStream stream;
  Gate gate(stream);
  ASSERT_EQ(aclrtMemsetAsync(device.pointer, 100, 7, 50, stream), ACL_SUCCESS);
  EXPECT_THAT(content<unsigned char>(device, 100), Each(0xab));
  gate.open();
  ASSERT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  EXPECT_EQ(device.get<unsigned char>(49), 7);
  EXPECT_EQ(device.get<unsigned char>(50), 0xab);
}

TEST_F(Memset, OrdinaryHostMemoryIsSetToo) {
  std::vector<char> host(10, 'x');
  EXPECT_EQ(aclrtMemset(host.data(), 10, 'y', 5), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemsetAsync(host.data() + 5, 5, 'z', 5, nullptr), ACL_SUCCESS);
  EXPECT_EQ(std::string(host.begin(), host.end()), "yyyyyzzzzz");
}

TEST_F(Memset, ChecksComeInTheDocumentedOrder) {
  DeviceMemory device(100);
  EXPECT_EQ(aclrtMemset(nullptr, 0, 0, 0), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemset(nullptr, 0, 0, 1), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMemset(device.pointer, 10, 0, 11), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_THAT(recent_error(), HasSubstr("count 11 is more than maxCount 10"));
  EXPECT_EQ(aclrtMemset(device.pointer, 101, 0, 101), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_THAT(recent_error(), HasSubstr("has room for 100 bytes, not for 101"));
  EXPECT_EQ(aclrtMemsetAsync(nullptr, 0, 0, 0, nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemsetAsync(nullptr, 0, 0, 1, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMemsetAsync(device.pointer, 10, 0, 11, nullptr), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtMemsetAsync(device.pointer, 101, 0, 101, nullptr), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtMemsetAsync(device.pointer, 100, 0, 100, &device), ACL_ERROR_RT_INVALID_HANDLE);
  without_context([&] {
    EXPECT_EQ(aclrtMemset(device.pointer, 100, 0, 100), ACL_ERROR_RT_CONTEXT_NULL);
    EXPECT_EQ(aclrtMemsetAsync(device.pointer, 100, 0, 100, nullptr), ACL_ERROR_RT_CONTEXT_NULL);
  });
}

TEST_F(Memset, WordsNeedAlignmentRoomAndOurMemory) {
  DeviceMemory device(100);
  ASSERT_EQ(aclrtMemsetD32(device.pointer, 100, 0x12345678, 25), ACL_SUCCESS);
  EXPECT_THAT(content<uint32_t>(device, 25), Each(0x12345678u));
  ASSERT_EQ(aclrtMemsetD32Async(device.pointer, 100, 9, 25, nullptr), ACL_SUCCESS);
  ASSERT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
  EXPECT_THAT(content<uint32_t>(device, 25), Each(9u));
  uint32_t host = 0;
  EXPECT_EQ(aclrtMemsetD32(nullptr, 100, 0, 1), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMemsetD32(device.as<char>() + 1, 99, 0, 1), ACL_ERROR_INVALID_PARAM);
  EXPECT_THAT(recent_error(), HasSubstr("not a multiple of 4"));
  EXPECT_EQ(aclrtMemsetD32(device.pointer, 99, 0, 25), ACL_ERROR_INVALID_PARAM);
  EXPECT_THAT(recent_error(), HasSubstr("memSize 99 holds 24 words"));
  EXPECT_EQ(aclrtMemsetD32Async(device.pointer, SIZE_MAX, 0, SIZE_MAX / 2, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMemsetD32(&host, 4, 0, 1), ACL_ERROR_INVALID_PARAM);
  EXPECT_THAT(recent_error(), HasSubstr("ordinary host memory"));
}

}  // namespace
