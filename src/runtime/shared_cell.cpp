// SPDX-License-Identifier: Apache-2.0
#include "runtime/shared_cell.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <ctime>
#include <mutex>
#include <vector>

namespace belay {
namespace {

constexpr size_t kCellBytes = 128;  // the words and the count of changes
constexpr size_t kPageBytes = 4096;
constexpr size_t kCellsPerPage = kPageBytes / kCellBytes;

std::atomic<uint64_t>* map_page(int fd, size_t page) {
  void* at = mmap(nullptr, kPageBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, static_cast<off_t>(page * kPageBytes));
  if (at == MAP_FAILED) throw std::bad_alloc();
  return static_cast<std::atomic<uint64_t>*>(at);
}

// Hands out cells of one memory file that other processes find below /proc/<pid>/fd.
class Pages {
 public:
  size_t take() {
    std::lock_guard lock(mutex_);
    if (free_.empty()) grow();
    const size_t cell = free_.back();
    free_.pop_back();
    return cell;
  }
  void give_back(size_t cell) {
    std::lock_guard lock(mutex_);
    free_.push_back(cell);
  }
  int fd() const { return fd_; }

 private:
  void grow() {
    if (fd_ < 0) fd_ = memfd_create("belay-cells", MFD_CLOEXEC);
    if (fd_ < 0 || ftruncate(fd_, static_cast<off_t>((pages_ + 1) * kPageBytes)) != 0) throw std::bad_alloc();
    for (size_t i = 0; i < kCellsPerPage; ++i) free_.push_back(pages_ * kCellsPerPage + i);
    ++pages_;
  }
  std::mutex mutex_;
  std::vector<size_t> free_;
  size_t pages_ = 0;
  int fd_ = -1;
};

Pages& pages() {
  static auto& pages = *new Pages;
  return pages;
}

std::atomic<uint64_t>* words_of(int fd, size_t cell) {
  return map_page(fd, cell / kCellsPerPage) + (cell % kCellsPerPage) * (kCellBytes / sizeof(uint64_t));
}

bool parse_key(const std::string& key, int& pid, int& fd, size_t& cell) {
  int end = 0;
  return std::sscanf(key.c_str(), "belay-cell-%d-%d-%zu%n", &pid, &fd, &cell, &end) == 3 &&
         key.size() == static_cast<size_t>(end);
}

}  // namespace

std::shared_ptr<SharedCell> SharedCell::make() {
  const size_t cell = pages().take();
  auto* words = words_of(pages().fd(), cell);
  for (size_t i = 0; i <= kWords; ++i) words[i] = 0;
  std::string key =
      "belay-cell-" + std::to_string(getpid()) + "-" + std::to_string(pages().fd()) + "-" + std::to_string(cell);
  return std::shared_ptr<SharedCell>(new SharedCell(words, std::move(key)), [cell](SharedCell* made) {
    delete made;
    pages().give_back(cell);
  });
}

Result<std::shared_ptr<SharedCell>> SharedCell::open(const std::string& key) {
  int pid = 0, fd = 0;
  size_t cell = 0;
  if (!parse_key(key, pid, fd, cell))
    return Status{ACL_ERROR_RT_PARAM_INVALID, "\"" + key + "\" is not a key that an export call gave out"};
  const std::string path = "/proc/" + std::to_string(pid) + "/fd/" + std::to_string(fd);
  const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0)
    return Status{ACL_ERROR_RT_PARAM_INVALID,
                  "the process " + std::to_string(pid) + " that exported \"" + key + "\" has ended or denies access"};
  const bool inside = lseek(file, 0, SEEK_END) >= static_cast<off_t>((cell / kCellsPerPage + 1) * kPageBytes);
  std::atomic<uint64_t>* words = inside ? words_of(file, cell) : nullptr;
  close(file);
  if (!words) return Status{ACL_ERROR_RT_PARAM_INVALID, "\"" + key + "\" names nothing that is exported"};
  return std::shared_ptr<SharedCell>(new SharedCell(words, key));
}

SharedCell::~SharedCell() {
  const auto page = reinterpret_cast<uintptr_t>(words_) / kPageBytes * kPageBytes;
  munmap(reinterpret_cast<void*>(page), kPageBytes);
}

uint32_t SharedCell::changes() const { return static_cast<uint32_t>(words_[kWords].load()); }

void SharedCell::announce() {
  words_[kWords].fetch_add(1);
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(&words_[kWords]), FUTEX_WAKE, INT32_MAX, nullptr, nullptr, 0);
}

void SharedCell::sleep(uint32_t seen) const {
  const timespec while_asleep{0, 50'000'000};  // a partner that died without a word is noticed by time limits
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(&words_[kWords]), FUTEX_WAIT, seen, &while_asleep, nullptr, 0);
}

}  // namespace belay
