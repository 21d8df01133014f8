// SPDX-License-Identifier: Apache-2.0
#include "base/files/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>

#include "base/files/descriptor.h"
#include "base/text.h"

namespace belay {
namespace {

Status unreadable(const std::filesystem::path& path, const char* why) {
  return {ACL_ERROR_INVALID_FILE, formatted("cannot read {}: {}", path.string(), why)};
}

uintptr_t number_of(const void* address) { return reinterpret_cast<uintptr_t>(address); }

struct Mappings {
  std::mutex mutex;
  struct Mapping {
    uintptr_t begin;
    std::string path;
  };
  std::map<uintptr_t, Mapping> by_end;  // guarded by mutex

  // Null when nothing is mapped there. The mutex is held.
  const std::pair<const uintptr_t, Mapping>* find(uintptr_t address) const {
    const auto found = by_end.upper_bound(address);
    return found == by_end.end() || address < found->second.begin ? nullptr : &*found;
  }
};

Mappings& mappings() {
  static auto* all = new Mappings;
  return *all;
}

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
    std::lock_guard lock(mappings().mutex);
    mappings().by_end[number_of(address) + size] = {number_of(address), path.string()};
  }
  return std::shared_ptr<const MappedFile>(new MappedFile(address, size));
}

MappedFile::~MappedFile() {
  if (!address_) return;
  {
    std::lock_guard lock(mappings().mutex);
    mappings().by_end.erase(number_of(address_) + size_);
  }
  munmap(address_, size_);
}

void forget_pages(const void* data, size_t size) {
  static const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const uintptr_t first = number_of(data), end = first + size;
  std::lock_guard lock(mappings().mutex);  // so that it stays mapped
  const auto* found = mappings().find(first);
  if (!found || end > found->first) return;
  const uintptr_t whole_first = (first + page - 1) / page * page, whole_end = end / page * page;
  if (whole_first < whole_end) madvise(reinterpret_cast<void*>(whole_first), whole_end - whole_first, MADV_DONTNEED);
}

std::string file_of(const void* data) {
  std::lock_guard lock(mappings().mutex);
  const auto* found = mappings().find(number_of(data));
  return found ? found->second.path : "";
}

}  // namespace belay
