// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sstream>
#include <thread>

#include "acl/acl.h"
#include "support/child.h"
#include "support/temporary_directory.h"

namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

std::vector<std::string> lines_of(const std::string& file) {
  std::istringstream text(belay::test::content_of(file));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

TEST(TraceChild, DISABLED_CallsAFewFunctions) {
  int32_t value = 0;
  aclGetCannAttribute(ACL_CANN_ATTR_BF16, &value);
  aclsysGetVersionNum(nullptr, &value);
  aclrtGetSocName();
  aclFloatToFloat16(0.5f);
  ACL_APP_LOG(ACL_INFO, "say \"%s\"\n", "this");
}

TEST(Trace, OneLineForEachCallWithArgumentsResultAndDuration) {
  const belay::test::TemporaryDirectory directory;
  const std::string file = directory.path("trace");
  belay::test::expect_passes_with({{"BELAY_TRACE", file}}, "TraceChild.DISABLED_CallsAFewFunctions");
  const auto lines = lines_of(file);
  ASSERT_EQ(lines.size(), 5u);
  const std::string time = " <[0-9]+\\.[0-9] us>";
  EXPECT_THAT(lines[0], MatchesRegex("[0-9]+ aclGetCannAttribute\\(1, 0x[0-9a-f]+\\) = 0" + time));
  EXPECT_THAT(lines[1], MatchesRegex("[0-9]+ aclsysGetVersionNum\\(null, 0x[0-9a-f]+\\) = 100000" + time));
  EXPECT_THAT(lines[2], MatchesRegex("[0-9]+ aclrtGetSocName\\(\\) = \"Ascend910B3\"" + time));
  EXPECT_THAT(lines[3], MatchesRegex("[0-9]+ aclFloatToFloat16\\(0.5\\) = 14336" + time));
  EXPECT_THAT(lines[4], HasSubstr("\"say \\\"%s\\\"\\x0a\""));
}

TEST(TraceChild, DISABLED_CallsFromThreadsAndAFork) {
  if (const pid_t child = fork(); child == 0) {
    for (int i = 0; i < 500; ++i) aclDataTypeSize(ACL_FLOAT);
    _exit(0);
  }
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([] {
      for (int i = 0; i < 500; ++i) aclDataTypeSize(ACL_FLOAT);
    });
  for (auto& thread : threads) thread.join();
  wait(nullptr);
}

TEST(Trace, LinesOfThreadsAndProcessesStayWhole) {
  const belay::test::TemporaryDirectory directory;
  const std::string file = directory.path("trace");
  belay::test::expect_passes_with({{"BELAY_TRACE", file}}, "TraceChild.DISABLED_CallsFromThreadsAndAFork");
  const auto lines = lines_of(file);
  EXPECT_EQ(lines.size(), 2000u);
  for (const auto& line : lines)
    ASSERT_THAT(line, MatchesRegex("[0-9]+ aclDataTypeSize\\(0\\) = 4 <[0-9]+\\.[0-9] us>"));
}

TEST(Trace, AFileThatCannotBeWrittenChangesNothing) {
  belay::test::expect_passes_with({{"BELAY_TRACE", "/nonexistent/trace"}}, "TraceChild.DISABLED_CallsAFewFunctions");
}

}  // namespace
