// SPDX-License-Identifier: Apache-2.0
#include "base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/text.h"

namespace belay {
namespace {

Status unreadable(const std::filesystem::path& path, const char* why) {
  return {ACL_ERROR_INVALID_FILE, formatted("cannot read {}: {}", path.string(), why)};
}

// Closes itself.
struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0) close(number);
  }
};

}  // namespace

Result<std::shared_ptr<const MappedFile>> MappedFile::open(const std::filesystem::path& path) {
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.number < 0) return unreadable(path, std::strerror(errno));
  struct stat info {};
  if (fstat(file.number, &info) != 0) return unreadable(path, std::strerror(errno));
  if (!S_ISREG(info.st_mode)) return unreadable(path, "it is not a regular file");
  const auto size = static_cast<size_t>(info.st_size);
  void* address = nullptr;
  if (size > 0) {
    address = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number, 0);
    if (address == MAP_FAILED) return unreadable(path, std::strerror(errno));
  }
  return std::shared_ptr<const MappedFile>(new MappedFile(address, size));
}

MappedFile::~MappedFile() {
  if (address_) munmap(address_, size_);
}

}  // namespace belay
