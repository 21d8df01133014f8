// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <map>
#include <string>

#include "support/environment.h"

namespace belay::test {

// Runs one test case of this program again, in a new process with other variables: what the library reads once, when it
// is loaded or first asked, can be tried only so. The case is named DISABLED_... so that it does not run by itself.
inline void expect_passes_with(const std::map<std::string, std::string>& variables, const std::string& test_case) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
    const std::string filter = "--gtest_filter=" + test_case;
    execl("/proc/self/exe", "test", filter.c_str(), "--gtest_also_run_disabled_tests", "--gtest_brief=1", nullptr);
    _exit(127);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << test_case << " ended with status " << status;
}

}  // namespace belay::test
