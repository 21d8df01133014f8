// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "acl/acl.h"
#include "support/child.h"
#include "support/temporary_directory.h"

namespace {

using testing::HasSubstr;

constexpr auto bad_level = static_cast<aclrtLastErrLevel>(1);

void forget_errors() {
  aclGetRecentErrMsg();
  aclrtGetLastError(ACL_RT_THREAD_LEVEL);
}

TEST(RecentErrMsg, IsHandedOutOnceAndNamesTheExportedFunction) {
  forget_errors();
  EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
  EXPECT_EQ(aclrtPeekAtLastError(bad_level), ACL_ERROR_INVALID_PARAM);
  const char* message = aclGetRecentErrMsg();
  ASSERT_NE(message, nullptr);
  EXPECT_THAT(message, HasSubstr("Invalid_Argument(EH0007): aclrtPeekAtLastError: level is 1"));
  EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
}

// Programs that cannot know whether they are the first call aclInit and go on.
TEST(RecentErrMsg, BeginsWithTheNewestErrorWhateverWasIgnoredBefore) {
  (void)aclInit(nullptr);
  ASSERT_EQ(aclInit(nullptr), ACL_ERROR_REPEAT_INITIALIZE);
  EXPECT_EQ(aclrtPeekAtLastError(bad_level), ACL_ERROR_INVALID_PARAM);
  const std::string message = aclGetRecentErrMsg();
  EXPECT_THAT(message.substr(0, message.find('\n')), HasSubstr("aclrtPeekAtLastError: level is 1"));
  EXPECT_THAT(message, HasSubstr("aclInit"));
}

TEST(RecentErrMsg, BelongsToTheThreadThatMadeTheError) {
  forget_errors();
  aclrtGetLastError(bad_level);
  std::thread([] {
    EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
    aclrtPeekAtLastError(bad_level);
  }).join();
  EXPECT_THAT(aclGetRecentErrMsg(), HasSubstr("aclrtGetLastError"));
  EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
}

TEST(RecentErrMsg, StaysValidWhileOtherThreadsMakeErrors) {
  forget_errors();
  aclrtPeekAtLastError(bad_level);
  const char* message = aclGetRecentErrMsg();
  const std::string copy = message;
  std::thread([] {
    for (int i = 0; i < 100; ++i) {
      aclrtGetLastError(bad_level);
      aclGetRecentErrMsg();
    }
  }).join();
  EXPECT_EQ(message, copy);
}

TEST(LastError, IsNotSetByTheChecksOfTheAclLayer) {
  forget_errors();
  EXPECT_EQ(aclrtGetLastError(bad_level), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);
}

TEST(LastError, IsNotSetByAFunctionThatIsNotSupported) {
  forget_errors();
  EXPECT_EQ(aclrtSnapShotProcessLock(0, nullptr), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
  EXPECT_THAT(aclGetRecentErrMsg(), HasSubstr("aclrtSnapShotProcessLock"));
  EXPECT_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);
}

TEST(RecentErrMsgChild, DISABLED_PerProcess) {
  const belay::test::TemporaryDirectory directory;
  ASSERT_EQ(aclInit(directory.write("acl.json", R"({"err_msg_mode": "1"})").c_str()), ACL_SUCCESS);
  std::thread([] { aclrtPeekAtLastError(bad_level); }).join();
  EXPECT_THAT(aclGetRecentErrMsg(), HasSubstr("aclrtPeekAtLastError"));
  EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
  EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
}

TEST(RecentErrMsg, BelongsToTheProcessWhenTheConfigurationSaysSo) {
  belay::test::expect_passes_with({}, "RecentErrMsgChild.DISABLED_PerProcess");
}

TEST(LastError, FollowsTheDocumentedSequences) {
  forget_errors();
  EXPECT_EQ(aclrtGetRunMode(nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);
  EXPECT_NE(aclGetRecentErrMsg(), nullptr);
  EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
  EXPECT_EQ(aclrtSetDevice(-1), ACL_ERROR_RT_INVALID_DEVICEID);
  EXPECT_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_INVALID_DEVICEID);
  EXPECT_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_INVALID_DEVICEID);
  EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_INVALID_DEVICEID);
  EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);
}

TEST(LastError, IsPerThreadAndIsNotClearedBySuccess) {
  forget_errors();
  aclrtSetDevice(-1);
  uint32_t count = 0;
  EXPECT_EQ(aclrtGetDeviceCount(&count), ACL_SUCCESS);
  std::thread([] { EXPECT_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS); }).join();
  EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_INVALID_DEVICEID);
}

TEST(LastError, IsSetWithoutATextByAPollingCall) {
  std::thread([] {
    EXPECT_EQ(aclrtProcessReport(1), ACL_ERROR_RT_THREAD_SUBSCRIBE);
    EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
    EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_THREAD_SUBSCRIBE);
    int32_t device = 0;
    EXPECT_EQ(aclrtGetDevice(&device), ACL_ERROR_RT_CONTEXT_NULL);
    EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);
  }).join();
}

// Its destructor runs after main, when this thread's own objects are gone.
struct LateCaller {
  ~LateCaller() {
    if (!armed) return;
    if (aclrtGetLastError(bad_level) != ACL_ERROR_INVALID_PARAM) abort();
    if (!aclGetRecentErrMsg()) abort();
  }
  bool armed = false;
} late_caller;

TEST(RecentErrMsgChild, DISABLED_DestructorsOfGlobalsMakeErrors) {
  aclrtGetLastError(bad_level);
  late_caller.armed = true;
}

TEST(RecentErrMsg, DestructorsOfGlobalsMayStillMakeErrors) {
  belay::test::expect_passes_with({}, "RecentErrMsgChild.DISABLED_DestructorsOfGlobalsMakeErrors");
}

}  // namespace
