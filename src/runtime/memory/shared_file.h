// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <utility>

namespace belay {

constexpr size_t kPage = 4096;
constexpr size_t kHugePage = size_t{2} << 20;

constexpr size_t rounded_up(size_t size, size_t unit) { return (size + unit - 1) / unit * unit; }

// Memory without a name in the file system that several mappings and processes can share. Owns its descriptor.
class SharedFile {
 public:
  SharedFile() = default;
  SharedFile(SharedFile&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  SharedFile& operator=(SharedFile&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~SharedFile();

  // `bytes` of zeros; nothing when the system refuses. `name` shows in /proc/<pid>/maps.
  static std::optional<SharedFile> create(const char* name, size_t bytes);
  // The file that another process (or this one) has open as `fd`; nothing when it or the process is gone.
  static std::optional<SharedFile> of_process(pid_t pid, int fd);

  // Maps a piece, at `where` when given (replacing what is there). Null when that fails.
  std::byte* map(size_t offset, size_t bytes, void* where = nullptr) const;
  size_t size() const;
  int fd() const { return fd_; }

 private:
  explicit SharedFile(int fd) : fd_(fd) {}
  int fd_ = -1;
};

}  // namespace belay
