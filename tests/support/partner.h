// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace belay::test {

// Another process that runs one (disabled) test case of this program and gets a line of text from us when it may start.
class Partner {
 public:
  explicit Partner(const std::string& test_case) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    pid_ = fork();
    if (pid_ == 0) {
      close(ends[1]);
      setenv("PARTNER_PIPE", std::to_string(ends[0]).c_str(), 1);
      const std::string filter = "--gtest_filter=" + test_case;
      execl("/proc/self/exe", "partner", filter.c_str(), "--gtest_also_run_disabled_tests", "--gtest_brief=1", nullptr);
      _exit(127);
    }
    close(ends[0]);
    write_end_ = ends[1];
  }
  ~Partner() { finish(); }
  Partner(const Partner&) = delete;

  pid_t pid() const { return pid_; }
  void tell(const std::string& text) {
    const std::string line = text + "\n";
    EXPECT_EQ(write(write_end_, line.data(), line.size()), static_cast<ssize_t>(line.size()));
  }
  // Waits for its end; whether its test passed.
  bool finish() {
    if (pid_ <= 0) return passed_;
    close(write_end_);
    int status = 0;
    passed_ = waitpid(pid_, &status, 0) == pid_ && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    pid_ = -1;
    return passed_;
  }

 private:
  pid_t pid_ = -1;
  int write_end_ = -1;
  bool passed_ = false;
};

// In the partner: the next line.
inline std::string told() {
  const char* pipe_end = getenv("PARTNER_PIPE");
  EXPECT_NE(pipe_end, nullptr);
  std::string line;
  char letter = 0;
  while (pipe_end && read(std::atoi(pipe_end), &letter, 1) == 1 && letter != '\n') line += letter;
  return line;
}

}  // namespace belay::test
