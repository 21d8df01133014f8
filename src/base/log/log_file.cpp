// SPDX-License-Identifier: Apache-2.0
#include "base/log/log_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <ctime>

#include "base/files/file.h"
#include "base/text.h"
#include "base/threads/size_signal.h"

namespace belay {
namespace {

// yyyymmddhhmmssmmm
std::string file_time(std::chrono::system_clock::time_point when) {
  const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(when.time_since_epoch()).count();
  const time_t seconds = since / 1000;
  tm local{};
  localtime_r(&seconds, &local);
  char text[32];
  const size_t length = strftime(text, sizeof text, "%Y%m%d%H%M%S", &local);
  snprintf(text + length, sizeof text - length, "%03d", static_cast<int>(since % 1000));
  return text;
}

}  // namespace

LogFile::LogFile(std::string directory, uint64_t file_size, int file_count)
    : directory_(std::move(directory)), file_size_(file_size), file_count_(static_cast<size_t>(file_count)) {}

LogFile::~LogFile() { close_file(); }

void LogFile::append(std::string_view line) {
  if (owner_ != getpid()) {
    close_file();
    names_.clear();
    owner_ = getpid();
  }
  if (fd_ >= 0 && written_ > 0 && written_ + line.size() > file_size_) close_file();
  if (fd_ < 0) open_next();
  if (fd_ < 0) return;
  const SizeSignalBlocked blocked;
  const ssize_t done = write(fd_, line.data(), line.size());
  if (done > 0) written_ += static_cast<uint64_t>(done);
  if (done < 0 && errno == EFBIG) {  // the next line gets a file of its own
    blocked.take();
    close_file();
  }
}

void LogFile::open_next() {
  if (directory_.empty() || !make_directories(directory_)) return;
  auto when = std::chrono::system_clock::now();
  // Files that fill up within one millisecond still get names of their own.
  for (int attempt = 0; attempt < 1000 && fd_ < 0; ++attempt, when += std::chrono::milliseconds(1)) {
    std::string name = formatted("{}/plog-{}_{}.log", directory_, owner_, file_time(when));
    fd_ = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0640);
    if (fd_ >= 0) names_.push_back(std::move(name));
    if (fd_ < 0 && errno != EEXIST) return;
  }
  written_ = 0;
  while (names_.size() > file_count_) {
    unlink(names_.front().c_str());
    names_.pop_front();
  }
}

void LogFile::close_file() {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
}

}  // namespace belay
