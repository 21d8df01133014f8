// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "acl/acl.h"
#include "base/acl_log.h"
#include "support/child.h"
#include "support/temporary_directory.h"

namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

int32_t collect(void* lines, uint32_t type, const char* content, size_t length) {
  static_cast<std::vector<std::pair<uint32_t, std::string>>*>(lines)->emplace_back(type, std::string(content, length));
  return 0;
}

TEST(LogChild, DISABLED_LogsAtEveryLevel) {
  ACL_APP_LOG(ACL_ERROR, "number %d", 7);
  ACL_APP_LOG(ACL_INFO, "unseen");
  ACL_APP_LOG(static_cast<aclLogLevel>(9), "unseen");
  aclAppLog(ACL_ERROR, nullptr, "f", 1, "unseen");
  aclAppLog(ACL_ERROR, "f", nullptr, 1, "unseen");
  const char* none = nullptr;
  aclAppLog(ACL_ERROR, "f", "f", 1, none);
  ACL_APP_LOG(ACL_ERROR, "%s", std::string(5000, 'x').c_str());
  aclrtGetDeviceCount(nullptr);
}

std::string logged(const belay::test::TemporaryDirectory& directory) {
  std::string text;
  for (const auto& file : belay::test::files_under(directory.path("debug/plog"))) text += belay::test::content_of(file);
  return text;
}

TEST(AppLog, LinesCarryThreadFunctionAndPlaceAndAreCutWhenLong) {
  const belay::test::TemporaryDirectory directory;
  belay::test::expect_passes_with({{"ASCEND_PROCESS_LOG_PATH", directory.path()}, {"ASCEND_GLOBAL_LOG_LEVEL", "3"}},
                                  "LogChild.DISABLED_LogsAtEveryLevel");
  const std::string text = logged(directory);
  EXPECT_THAT(text.substr(0, text.find('\n')), MatchesRegex("\\[ERROR\\] APP\\(.*\\):[-0-9:.]+ \\[log.cpp:[0-9]+\\]"
                                                            "[0-9]+ TestBody:[^:]*log.cpp:[0-9]+: \"number 7\""));
  EXPECT_THAT(text, HasSubstr("xxx...[truncated]\"\n"));
  EXPECT_THAT(text, Not(HasSubstr("unseen")));
}

TEST(AppLog, AReportedErrorIsInTheLogToo) {
  const belay::test::TemporaryDirectory directory;
  belay::test::expect_passes_with({{"ASCEND_PROCESS_LOG_PATH", directory.path()}, {"ASCEND_GLOBAL_LOG_LEVEL", "3"}},
                                  "LogChild.DISABLED_LogsAtEveryLevel");
  EXPECT_THAT(logged(directory), HasSubstr("EH0008(100000) aclrtGetDeviceCount: parameter count must not be null\n"));
}

TEST(LogCallbackChild, DISABLED_SeesTheLines) {
  std::vector<std::pair<uint32_t, std::string>> debug, run;
  acllogCallbackHandle first = 0, second = 0;
  ASSERT_EQ(acllogRegisterCallback(collect, &debug, OUTPUT_TYPE_BOTH, &first), 0);
  ASSERT_EQ(acllogRegisterCallback(collect, &run, OUTPUT_TYPE_RUN, &second), 0);
  EXPECT_EQ(acllogCheckDebugLevel(7, 2), 1);
  EXPECT_EQ(acllogCheckDebugLevel(7, 1), 0);
  EXPECT_EQ(acllogCheckDebugLevel(7, 99), 0);
  acllogRecord(7, 3, "[here:1]value %d", 42);
  acllogRecord(7, 1, "unseen");
  EXPECT_EQ(acllogUnregisterCallback(first), 0);
  EXPECT_EQ(acllogUnregisterCallback(first), -1);
  acllogRecord(7, 3, "after");
  ASSERT_EQ(debug.size(), 1u);
  EXPECT_EQ(debug[0].first, static_cast<uint32_t>(OUTPUT_TYPE_DEBUG));
  EXPECT_THAT(debug[0].second, MatchesRegex("\\[ERROR\\] MODULE7\\(.*\\):[-0-9:.]+ \\[here:1\\]value 42\n"));
  EXPECT_TRUE(run.empty());
}

TEST(LogCallback, SeesTheLinesOfItsKindUntilUnregistered) {
  const belay::test::TemporaryDirectory directory;
  belay::test::expect_passes_with({{"ASCEND_PROCESS_LOG_PATH", directory.path()}, {"ASCEND_GLOBAL_LOG_LEVEL", "2"}},
                                  "LogCallbackChild.DISABLED_SeesTheLines");
}

TEST(LogCallback, WrongArgumentsAreRefused) {
  acllogCallbackHandle handle = 0;
  EXPECT_EQ(acllogRegisterCallback(nullptr, nullptr, OUTPUT_TYPE_BOTH, &handle), -1);
  EXPECT_EQ(acllogRegisterCallback(collect, nullptr, OUTPUT_TYPE_MAX, &handle), -1);
  EXPECT_EQ(acllogRegisterCallback(collect, nullptr, OUTPUT_TYPE_BOTH, nullptr), -1);
  EXPECT_EQ(acllogUnregisterCallback(12345), -1);
  EXPECT_NE(aclGetRecentErrMsg(), nullptr);
}

}  // namespace
