// SPDX-License-Identifier: Apache-2.0
#include "base/log/say_once.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace belay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// What goes to stderr and to the log while `body` runs.
struct Said {
  std::string on_stderr;
  std::vector<std::string> logged;
};
template <class Body>
Said said_by(int level, Body body) {
  Said said;
  LogSettings settings;
  settings.module_level.fill(settings.level = level);
  configure_log(settings);
  const uint64_t number = add_log_observer([&](bool, std::string_view line) { said.logged.emplace_back(line); });
  testing::internal::CaptureStderr();
  body();
  said.on_stderr = testing::internal::GetCapturedStderr();
  remove_log_observer(number);
  configure_log({});
  return said;
}

TEST(SayOnce, GoesToStderrAndTheLogOnce) {
  const Said said = said_by(3, [] {
    for (int i = 0; i < 3; ++i) say_once(LogModule::Runtime, "SOME_VARIABLE={} is no number", "x");
  });
  EXPECT_EQ(said.on_stderr, "belay: SOME_VARIABLE=x is no number\n");
  EXPECT_THAT(said.logged, ElementsAre(HasSubstr("SOME_VARIABLE=x is no number")));
}

TEST(SayOnce, IsSilentWhenLoggingIsOff) {
  const Said said = said_by(4, [] { say_once(LogModule::Runtime, "nobody hears of {}", "this"); });
  EXPECT_EQ(said.on_stderr, "");
  EXPECT_THAT(said.logged, IsEmpty());
}

}  // namespace
}  // namespace belay
