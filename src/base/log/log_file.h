// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

namespace belay {

// The log files of this process in one directory: plog-<pid>_<time>.log, a new one when the last is full, the oldest
// deleted when there are too many. A forked child starts files of its own. Nothing is made before the first line.
// Not thread-safe.
class LogFile {
 public:
  LogFile(std::string directory, uint64_t file_size, int file_count);
  ~LogFile();
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;

  // A line that cannot be written is lost, silently.
  void append(std::string_view line);

 private:
  void open_next();
  void close_file();

  const std::string directory_;
  const uint64_t file_size_;
  const size_t file_count_;
  std::deque<std::string> names_;
  int fd_ = -1;
  uint64_t written_ = 0;
  pid_t owner_ = 0;
};

}  // namespace belay
