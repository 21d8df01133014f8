// SPDX-License-Identifier: Apache-2.0
#include "runtime/memory/shared_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "runtime/memory/file_limit.h"

namespace belay {

SharedFile::~SharedFile() {
  if (fd_ >= 0) close(fd_);
}

std::optional<SharedFile> SharedFile::create(const char* name, size_t bytes) {
  const int fd = memfd_create(name, MFD_CLOEXEC);
  if (fd < 0) return {};
  SharedFile file(fd);
  if (!resize_file(fd, bytes)) return {};
  return file;
}

std::optional<SharedFile> SharedFile::of_process(pid_t pid, int fd) {
  const int own = open(formatted("/proc/{}/fd/{}", pid, fd).c_str(), O_RDWR | O_CLOEXEC);
  if (own < 0) return {};
  return SharedFile(own);
}

std::byte* SharedFile::map(size_t offset, size_t bytes, void* where) const {
  const int fixed = where ? MAP_FIXED : 0;
  void* at = mmap(where, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | fixed, fd_, static_cast<off_t>(offset));
  return at == MAP_FAILED ? nullptr : static_cast<std::byte*>(at);
}

size_t SharedFile::size() const {
  struct stat about {};
  return fstat(fd_, &about) == 0 ? static_cast<size_t>(about.st_size) : 0;
}

}  // namespace belay
