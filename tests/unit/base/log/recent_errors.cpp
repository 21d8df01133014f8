// SPDX-License-Identifier: Apache-2.0
#include "base/log/recent_errors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/catalogue.h"

namespace belay {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

const std::string stamp = "\\[PID: " + std::to_string(getpid()) +
                          "\\] [0-9]{4}-[0-9]{2}-[0-9]{2}-[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}\\.[0-9]{3} ";

TEST(RecentErrors, NothingHappenedGivesNothing) { EXPECT_FALSE(RecentErrors().take()); }

TEST(RecentErrors, OneErrorIsOneLineWithTitleAndCodeAndReadingForgetsIt) {
  RecentErrors errors;
  errors.add("EH0008", "aclrtMalloc: parameter devPtr must not be null");
  EXPECT_THAT(*errors.take(), MatchesRegex(stamp + "Invalid_Argument_Null_Pointer\\(EH0008\\): aclrtMalloc: parameter "
                                                   "devPtr must not be null"));
  EXPECT_FALSE(errors.take());
}

TEST(RecentErrors, OlderErrorsFollowATraceBackLineInColumnZero) {
  RecentErrors errors;
  errors.add("EE1001", "first");
  errors.add("EH9999", "second");
  errors.add("EH0007", "third");
  EXPECT_THAT(*errors.take(), MatchesRegex(stamp + "Invalid_Argument\\(EH0007\\): third\n"
                                                   "TraceBack \\(most recent call last\\):\n"
                                                   "        first\n"
                                                   "        second"));
}

// Whatever its kind: what went wrong before may have been ignored on purpose.
TEST(RecentErrors, TheNewestErrorGivesTheTitle) {
  RecentErrors errors;
  errors.add("EE9999", "inside");
  errors.add("EE1018", "call aclrtSetDevice first");
  EXPECT_THAT(*errors.take(), MatchesRegex(stamp + "Invalid_Argument_API_Call_Sequence\\(EE1018\\): call "
                                                   "aclrtSetDevice first\n"
                                                   "TraceBack \\(most recent call last\\):\n"
                                                   "        inside"));
  errors.add("EE1018", "call aclrtSetDevice first");
  errors.add("EE9999", "inside");
  EXPECT_THAT(*errors.take(), testing::StartsWith("EE9999: Internal error!\n"));
}

TEST(RecentErrors, OnlyInternalErrorsHaveTheirOwnLayout) {
  RecentErrors errors;
  errors.add("EZ9999", "one");
  errors.add("EH9999", "two");
  EXPECT_THAT(*errors.take(), MatchesRegex("EH9999: Internal error!\n"
                                           "EH9999" +
                                           stamp +
                                           "[A-Za-z_]+\\(EH9999\\):  two\n"
                                           "TraceBack \\(most recent call last\\):\n"
                                           "       one"));
}

TEST(RecentErrors, ASolutionStandsBelowTheMessage) {
  RecentErrors errors;
  errors.add("EH0003", "no such file");
  EXPECT_THAT(*errors.take(), HasSubstr("no such file\n        Solution: Check that the path exists"));
}

TEST(RecentErrors, AProgramThatNeverReadsThemKeepsTheFirstAndTheLatest) {
  RecentErrors errors;
  for (int i = 0; i < 1000; ++i) errors.add("EE1001", "number " + std::to_string(i) + ".");
  const std::string text = *errors.take();
  EXPECT_LT(text.size(), 4000u);
  EXPECT_THAT(text, HasSubstr("number 0."));
  EXPECT_THAT(text, HasSubstr("number 999."));
  EXPECT_THAT(text, HasSubstr("(935 messages dropped)"));
  EXPECT_THAT(text, testing::Not(HasSubstr("number 500.")));
}

TEST(Catalogue, CodesHaveTheDocumentedUsualMessage) {
  const std::pair<aclError, const char*> documented[] = {
      {ACL_ERROR_INVALID_FILE, "EH0003"},
      {ACL_ERROR_BAD_ALLOC, "EH0010"},
      {ACL_ERROR_RT_PARAM_INVALID, "EE1003"},
      {ACL_ERROR_RT_CONTEXT_NULL, "EE1018"},
      {ACL_ERROR_RT_STREAM_CONTEXT, "EE1010"},
      {ACL_ERROR_RT_STREAM_NO_CB_REG, "EE1018"},
      {ACL_ERROR_RT_INVALID_HANDLE, "EE1017"},
      {ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "EE1005"},
      {ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "EE1002"},
      {161001, "EZ1001"},
      {361001, "EZ9903"},
      {561000, "EZ9999"},
      {ACL_ERROR_INTERNAL_ERROR, "EH9999"},
      {42, "EH9999"},
  };
  for (const auto& [code, id] : documented) EXPECT_STREQ(usual_message_id(code), id) << code;
}

TEST(Catalogue, AnIdThatIsNotListedKeepsItsNumber) {
  EXPECT_EQ(message_kind("E99001").id, "E99001");
  EXPECT_FALSE(message_kind("E99001").internal());
  EXPECT_TRUE(message_kind("E19999").internal());
}

}  // namespace
}  // namespace belay
