// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "acl/acl.h"

// Old names are called on purpose.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace {

TEST(DataBuffer, HoldsAPointerAndASizeAndOwnsNothing) {
  int memory = 5, other = 6;
  aclDataBuffer* buffer = aclCreateDataBuffer(&memory, sizeof memory);
  ASSERT_NE(buffer, nullptr);
  EXPECT_EQ(aclGetDataBufferAddr(buffer), &memory);
  EXPECT_EQ(aclGetDataBufferSizeV2(buffer), sizeof memory);
  EXPECT_EQ(aclUpdateDataBuffer(buffer, &other, 3), ACL_SUCCESS);
  EXPECT_EQ(aclGetDataBufferAddr(buffer), &other);
  EXPECT_EQ(aclGetDataBufferSize(buffer), 3u);
  EXPECT_EQ(aclDestroyDataBuffer(buffer), ACL_SUCCESS);
  EXPECT_EQ(memory, 5);
}

TEST(DataBuffer, OldSizeIsCutTo32Bits) {
  aclDataBuffer* buffer = aclCreateDataBuffer(nullptr, (size_t{1} << 32) + 7);
  EXPECT_EQ(aclGetDataBufferSize(buffer), 7u);
  EXPECT_EQ(aclGetDataBufferSizeV2(buffer), (size_t{1} << 32) + 7);
  EXPECT_EQ(aclDestroyDataBuffer(buffer), ACL_SUCCESS);
}

TEST(DataBuffer, MayBeEmptyAndNullIsAnswered) {
  aclDataBuffer* buffer = aclCreateDataBuffer(nullptr, 0);
  ASSERT_NE(buffer, nullptr);
  EXPECT_EQ(aclGetDataBufferAddr(buffer), nullptr);
  EXPECT_EQ(aclDestroyDataBuffer(buffer), ACL_SUCCESS);
  EXPECT_EQ(aclDestroyDataBuffer(nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclUpdateDataBuffer(nullptr, nullptr, 0), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclGetDataBufferAddr(nullptr), nullptr);
  EXPECT_EQ(aclGetDataBufferSize(nullptr), 0u);
  EXPECT_EQ(aclGetDataBufferSizeV2(nullptr), 0u);
}

}  // namespace
