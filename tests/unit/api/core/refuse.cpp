// SPDX-License-Identifier: Apache-2.0
// Oracle: docs/supported.md, on functions that products of our class do not support either, and on communication.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "acl/acl.h"
#include "hccl/hccl.h"

namespace {

using testing::HasSubstr;

TEST(Refusal, ReturnsNotSupportedAndNamesTheFunction) {
  aclGetRecentErrMsg();
  EXPECT_EQ(aclrtSubscribeHostFunc(1, nullptr), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
  const char* message = aclGetRecentErrMsg();
  ASSERT_NE(message, nullptr);
  EXPECT_THAT(message, HasSubstr("EH0011"));
  EXPECT_THAT(message, HasSubstr("aclrtSubscribeHostFunc is not supported"));
  EXPECT_THAT(message, HasSubstr("docs/supported.md"));
}

TEST(Refusal, IsNotALastError) {
  aclrtGetLastError(ACL_RT_THREAD_LEVEL);
  EXPECT_EQ(aclrtProcessHostFunc(0), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
  EXPECT_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);
  aclGetRecentErrMsg();
}

TEST(Refusal, OfAnotherTypeIsThatTypesFailure) {
  EXPECT_EQ(HcclEngineCtxDestroy(nullptr, "tag", COMM_ENGINE_CPU), HCCL_E_NOT_SUPPORT);
  EXPECT_THAT(aclGetRecentErrMsg(), HasSubstr("HcclEngineCtxDestroy is not supported"));
  EXPECT_EQ(aclrtCreateGroupInfo(), nullptr);
  EXPECT_THAT(aclGetRecentErrMsg(), HasSubstr("aclrtCreateGroupInfo is not supported"));
}

}  // namespace
