// SPDX-License-Identifier: Apache-2.0
#include "base/log/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <map>
#include <sstream>
#include <thread>

#include "support/temporary_directory.h"

namespace belay {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

LogSettings settings_of(const std::map<std::string, const char*>& variables) {
  return read_log_settings([&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second;
  });
}

// Logs into a directory of its own, at the level asked for.
class Log : public testing::Test {
 protected:
  void use(LogSettings settings) {
    settings.directory = directory_.path();
    configure_log(settings);
  }
  void use_level(int level) {
    LogSettings settings;
    settings.module_level.fill(settings.level = level);
    use(settings);
  }
  void TearDown() override { configure_log({}); }
  std::string logged(const char* kind = "debug") const {
    std::string all;
    for (const auto& file : test::files_under(directory_.path(kind))) all += test::content_of(file);
    return all;
  }

  test::TemporaryDirectory directory_;
};

TEST(LogSettings, DefaultsAreErrorsAndEventsInFilesUnderHome) {
  const LogSettings settings = settings_of({{"HOME", "/home/someone"}});
  EXPECT_EQ(settings.level, 3);
  EXPECT_THAT(settings.module_level, testing::Each(3));
  EXPECT_TRUE(settings.events);
  EXPECT_FALSE(settings.to_stdout);
  EXPECT_EQ(settings.directory, "/home/someone/ascend/log");
  EXPECT_EQ(settings.file_count, 10);
  EXPECT_EQ(settings.file_size, 20u * 1024 * 1024);
  EXPECT_EQ(settings_of({}).directory, "");
}

TEST(LogSettings, ModuleLevelsOverrideTheGlobalOne) {
  const LogSettings settings = settings_of(
      {{"ASCEND_GLOBAL_LOG_LEVEL", "1"}, {"ASCEND_MODULE_LOG_LEVEL", "GE=0:NOBODY=0:RUNTIME=9:=:APP=4:DUMP"}});
  EXPECT_THAT(settings.module_level, testing::ElementsAre(1, 1, 0, 1, 4));
}

TEST(LogSettings, LevelsThatMakeNoSenseAreIgnored) {
  for (const char* bad : {"5", "-1", "x", "", "1 "})
    EXPECT_EQ(settings_of({{"ASCEND_GLOBAL_LOG_LEVEL", bad}}).level, 3);
  EXPECT_EQ(settings_of({{"ASCEND_GLOBAL_LOG_LEVEL", "4"}}).level, 4);
}

TEST(LogSettings, TheNewStdoutVariableSupersedesTheOldOne) {
  const char *old_name = "ASCEND_SLOG_PRINT_TO_STDOUT", *new_name = "ASCEND_LOG_PRINT_TO_STDOUT";
  EXPECT_TRUE(settings_of({{old_name, "1"}}).to_stdout);
  EXPECT_TRUE(settings_of({{old_name, "0"}, {new_name, "1"}}).to_stdout);
  EXPECT_FALSE(settings_of({{old_name, "1"}, {new_name, "0"}}).to_stdout);
}

TEST(LogSettings, TheProcessPathWinsOverTheWorkPathOverHome) {
  EXPECT_EQ(settings_of({{"HOME", "/h"}, {"ASCEND_WORK_PATH", "/w"}}).directory, "/w/log");
  EXPECT_EQ(settings_of({{"ASCEND_PROCESS_LOG_PATH", "/p"}, {"ASCEND_WORK_PATH", "/w"}}).directory, "/p");
}

TEST(LogSettings, FileNumberIsOneToThousand) {
  EXPECT_EQ(settings_of({{"ASCEND_HOST_LOG_FILE_NUM", "1000"}}).file_count, 1000);
  for (const char* bad : {"0", "1001", "ten"})
    EXPECT_EQ(settings_of({{"ASCEND_HOST_LOG_FILE_NUM", bad}}).file_count, 10);
}

TEST_F(Log, ALineHasLevelModuleProcessTimePlaceAndText) {
  use_level(2);
  log_warning(LogModule::Dump, "layer {} of {}", "conv1", 7);
  EXPECT_THAT(logged(), MatchesRegex("\\[WARNING\\] DUMP\\([0-9]+,unit_base\\):"
                                     "[0-9]{4}-[0-9]{2}-[0-9]{2}-[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}\\.[0-9]{3} "
                                     "\\[log\\.cpp:[0-9]+\\]layer conv1 of 7\n"));
}

TEST_F(Log, FilesAreNamedByProcessAndTimeAndEventsGoToTheRunLog) {
  use_level(3);
  log_error(LogModule::Runtime, "bad");
  log_event(LogModule::Runtime, "started");
  const std::string name = "plog-" + std::to_string(getpid()) + "_[0-9]{17}\\.log";
  const auto debug = test::files_under(directory_.path("debug/plog")),
             run = test::files_under(directory_.path("run/plog"));
  ASSERT_EQ(debug.size(), 1u);
  ASSERT_EQ(run.size(), 1u);
  EXPECT_THAT(debug[0].filename().string(), MatchesRegex(name));
  EXPECT_THAT(run[0].filename().string(), MatchesRegex(name));
  EXPECT_THAT(logged("run"), HasSubstr("[EVENT] RUNTIME("));
}

TEST_F(Log, LevelsBelowTheThresholdAreOffAndMakeNoFile) {
  use_level(3);
  EXPECT_FALSE(log_enabled(LogModule::App, LogLevel::Warning));
  EXPECT_TRUE(log_enabled(LogModule::App, LogLevel::Error));
  log_warning(LogModule::App, "unseen");
  log_line(LogModule::App, LogLevel::Info, nullptr, 0, "unseen");
  EXPECT_TRUE(test::files_under(directory_.path()).empty());
}

TEST_F(Log, ANoticeIsAWarningThatTheDefaultLevelShows) {
  use_level(3);
  log_notice(LogModule::Dump, "layer {} matches nothing", "x");
  EXPECT_THAT(logged(), MatchesRegex("\\[WARNING\\] DUMP\\(.*\\]layer x matches nothing\n"));
}

TEST_F(Log, LevelFourWritesNothingAndEventsCanBeOff) {
  LogSettings settings;
  settings.module_level.fill(settings.level = 4);
  settings.events = false;
  use(settings);
  log_error(LogModule::Ge, "unseen");
  log_notice(LogModule::Ge, "unseen");
  log_event(LogModule::Ge, "unseen");
  EXPECT_TRUE(test::files_under(directory_.path()).empty());
}

TEST_F(Log, AFullFileIsFollowedByANewOneAndTheOldestGo) {
  LogSettings settings;
  settings.file_size = 1000;
  settings.file_count = 3;
  use(settings);
  for (int i = 0; i < 100; ++i) log_error(LogModule::App, "line number {}", i);
  const auto files = test::files_under(directory_.path("debug"));
  EXPECT_EQ(files.size(), 3u);
  for (const auto& file : files) EXPECT_LE(std::filesystem::file_size(file), 1000u);
  EXPECT_THAT(logged(), HasSubstr("line number 99\n"));
  EXPECT_THAT(logged(), testing::Not(HasSubstr("line number 0\n")));
}

TEST_F(Log, ADirectoryThatCannotBeMadeIsSilent) {
  LogSettings settings;
  directory_.write("file", "");
  settings.directory = directory_.path("file");
  configure_log(settings);
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  log_error(LogModule::App, "lost");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(Log, StdoutIsUsedInsteadOfFiles) {
  LogSettings settings;
  settings.to_stdout = true;
  use(settings);
  testing::internal::CaptureStdout();
  log_error(LogModule::App, "shown");
  EXPECT_THAT(testing::internal::GetCapturedStdout(), MatchesRegex("\\[ERROR\\] APP\\(.*\\]shown\n"));
  EXPECT_TRUE(test::files_under(directory_.path()).empty());
}

TEST_F(Log, LinesOfManyThreadsStayWhole) {
  use_level(3);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([t] {
      for (int i = 0; i < 200; ++i) log_error(LogModule::App, "<thread {} line {}>", t, i);
    });
  for (auto& thread : threads) thread.join();
  std::istringstream lines(logged());
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    ASSERT_TRUE(line.starts_with("[ERROR] APP(")) << line;
    ASSERT_TRUE(line.ends_with(">")) << line;
  }
  EXPECT_EQ(count, 800);
}

TEST_F(Log, AForkedChildWritesAFileOfItsOwn) {
  use_level(3);
  log_error(LogModule::App, "parent");
  const pid_t child = fork();
  if (child == 0) {
    log_error(LogModule::App, "child");
    _exit(0);
  }
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  const auto files = test::files_under(directory_.path("debug"));
  ASSERT_EQ(files.size(), 2u);
  for (const auto& file : files) {
    const bool childs = file.filename().string().starts_with("plog-" + std::to_string(child) + "_");
    EXPECT_THAT(test::content_of(file), HasSubstr(childs ? "]child\n" : "]parent\n"));
  }
}

TEST_F(Log, ObserversSeeLinesUntilRemovedAndNotTheirOwn) {
  use_level(3);
  std::vector<std::pair<bool, std::string>> seen;
  uint64_t number = 0;
  number = add_log_observer([&](bool run, std::string_view line) {
    seen.emplace_back(run, line);
    log_error(LogModule::App, "from inside");
    EXPECT_FALSE(remove_log_observer(number));
    EXPECT_EQ(add_log_observer(nullptr), 0u);
  });
  log_error(LogModule::App, "one");
  log_event(LogModule::App, "two");
  log_info(LogModule::App, "off");
  EXPECT_TRUE(remove_log_observer(number));
  EXPECT_FALSE(remove_log_observer(number));
  log_error(LogModule::App, "three");
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_FALSE(seen[0].first);
  EXPECT_TRUE(seen[0].second.ends_with("]one\n"));
  EXPECT_TRUE(seen[1].first);
  EXPECT_THAT(logged(), HasSubstr("from inside"));
}

TEST_F(Log, AModuleThatIsOnlyANameFollowsTheGlobalLevel) {
  LogSettings settings;
  settings.level = 1;
  use(settings);
  EXPECT_TRUE(log_enabled(LogLevel::Info));
  EXPECT_FALSE(log_enabled(LogLevel::Debug));
  log_line("MODULE7", LogLevel::Info, "[x.cpp:1]hello");
  log_line("MODULE7", LogLevel::Debug, "unseen");
  EXPECT_THAT(logged(), MatchesRegex("\\[INFO\\] MODULE7\\(.*\\) ?.* \\[x.cpp:1\\]hello\n"));
}

}  // namespace
}  // namespace belay
