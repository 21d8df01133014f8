// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "acl/acl.h"

namespace {

TEST(OpExecuteTimeout, IsKeptInWholeIntervals) {
  uint64_t interval = 0, actual = 0;
  uint32_t milliseconds = 0;
  ASSERT_EQ(aclrtGetOpTimeOutInterval(&interval), ACL_SUCCESS);
  EXPECT_EQ(interval, 1000u);
  EXPECT_EQ(aclrtSetOpExecuteTimeOutV2(1500, &actual), ACL_SUCCESS);
  EXPECT_EQ(actual, 2000u);
  EXPECT_EQ(aclrtGetOpExecuteTimeout(&milliseconds), ACL_SUCCESS);
  EXPECT_EQ(milliseconds, 2u);
  EXPECT_EQ(aclrtSetOpExecuteTimeOut(3), ACL_SUCCESS);
  aclrtGetOpExecuteTimeout(&milliseconds);
  EXPECT_EQ(milliseconds, 3000u);
  EXPECT_EQ(aclrtSetOpExecuteTimeOutWithMs(77), ACL_SUCCESS);
  aclrtGetOpExecuteTimeout(&milliseconds);
  EXPECT_EQ(milliseconds, 77u);
  EXPECT_EQ(aclrtSetOpExecuteTimeOutV2(UINT64_MAX, &actual), ACL_SUCCESS);
  aclrtGetOpExecuteTimeout(&milliseconds);
  EXPECT_EQ(milliseconds, UINT32_MAX);
  EXPECT_EQ(aclrtSetOpExecuteTimeOut(0), ACL_SUCCESS);
}

TEST(OpExecuteTimeout, NeedsSomewhereToAnswer) {
  EXPECT_EQ(aclrtGetOpTimeOutInterval(nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtGetOpExecuteTimeout(nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtSetOpExecuteTimeOutV2(1, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtSetOpWaitTimeout(0), ACL_SUCCESS);
}

}  // namespace
