// SPDX-License-Identifier: Apache-2.0
#include "runtime/stream/shared_cell.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <mutex>
#include <vector>

#include "runtime/memory/file_limit.h"

namespace belay {
namespace {

constexpr size_t kCellBytes = 128;
constexpr size_t kIdentity = SharedCell::kWords;     // the number in the key, until its maker closes the cell
constexpr size_t kChanges = SharedCell::kWords + 1;  // how often announce was called
constexpr uint64_t kOpened = uint64_t{1} << 63;      // in the identity: somebody opened the cell by its key
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
  Result<size_t> take() {
    std::lock_guard lock(mutex_);
    if (free_.empty()) TRY(grow());
    const size_t cell = free_.back();
    free_.pop_back();
    return cell;
  }
  uint64_t next_identity() { return next_identity_++; }
  void give_back(size_t cell) {
    std::lock_guard lock(mutex_);
    free_.push_back(cell);
  }
  int fd() const { return fd_; }

 private:
  Status grow() {
    if (fd_ < 0) fd_ = memfd_create("belay-cells", MFD_CLOEXEC);
    if (fd_ < 0 || !resize_file(fd_, (pages_ + 1) * kPageBytes))
      return {ACL_ERROR_RT_MEMORY_ALLOCATION,
              "the host has no memory for another notify or shared event" + file_limit_text()};
    for (size_t i = 0; i < kCellsPerPage; ++i) free_.push_back(pages_ * kCellsPerPage + i);
    ++pages_;
    return {};
  }
  std::atomic<uint64_t> next_identity_{1};
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

struct Key {
  int pid = 0, fd = 0;
  size_t cell = 0;
  uint64_t identity = 0;

  std::string text() const {
    return "belay-cell-" + std::to_string(pid) + "-" + std::to_string(fd) + "-" + std::to_string(cell) + "-" +
           std::to_string(identity);
  }
  bool parse(const std::string& text) {
    int end = 0;
    return std::sscanf(text.c_str(), "belay-cell-%d-%d-%zu-%lu%n", &pid, &fd, &cell, &identity, &end) == 4 &&
           text.size() == static_cast<size_t>(end) && identity < kOpened;
  }
};

// Marks the cell as opened, if it still is the one that the key means.
bool claim(std::atomic<uint64_t>& identity, uint64_t wanted) {
  uint64_t seen = identity;
  while ((seen & ~kOpened) == wanted)
    if (identity.compare_exchange_weak(seen, wanted | kOpened)) return true;
  return false;
}

}  // namespace

Result<std::shared_ptr<SharedCell>> SharedCell::make() {
  const size_t cell = TRY(pages().take());
  auto* words = words_of(pages().fd(), cell);
  for (size_t i = 0; i <= kChanges; ++i) words[i] = 0;
  const Key key{getpid(), pages().fd(), cell, pages().next_identity()};
  words[kIdentity] = key.identity;
  return std::shared_ptr<SharedCell>(new SharedCell(words, key.text()), [cell](SharedCell* made) {
    const bool shared = made->words_[kIdentity].exchange(0) & kOpened;
    delete made;
    if (!shared) pages().give_back(cell);  // else somebody may still use it: it is not handed out again
  });
}

Result<std::shared_ptr<SharedCell>> SharedCell::open(const std::string& key) {
  Key parsed;
  if (!parsed.parse(key))
    return Status{ACL_ERROR_RT_PARAM_INVALID, "\"" + key + "\" is not a key that an export call gave out"};
  const std::string path = "/proc/" + std::to_string(parsed.pid) + "/fd/" + std::to_string(parsed.fd);
  const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0)
    return Status{ACL_ERROR_RT_PARAM_INVALID, "the process " + std::to_string(parsed.pid) + " that exported \"" + key +
                                                  "\" has ended or denies access"};
  const Status nothing{ACL_ERROR_RT_PARAM_INVALID,
                       "\"" + key + "\" names nothing that is exported; it may have been destroyed"};
  const bool inside = lseek(file, 0, SEEK_END) / static_cast<off_t>(kCellBytes) > static_cast<off_t>(parsed.cell);
  auto* words = inside ? words_of(file, parsed.cell) : nullptr;
  close(file);
  if (!words) return nothing;
  std::shared_ptr<SharedCell> opened(new SharedCell(words, key));
  if (!claim(words[kIdentity], parsed.identity)) return nothing;
  return opened;
}

SharedCell::~SharedCell() {
  const auto page = reinterpret_cast<uintptr_t>(words_) / kPageBytes * kPageBytes;
  munmap(reinterpret_cast<void*>(page), kPageBytes);
}

uint32_t SharedCell::changes() const { return static_cast<uint32_t>(words_[kChanges].load()); }

void SharedCell::announce() {
  words_[kChanges].fetch_add(1);
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(&words_[kChanges]), FUTEX_WAKE, INT32_MAX, nullptr, nullptr, 0);
}

void SharedCell::sleep(uint32_t seen, std::chrono::nanoseconds longest) const {
  // An abort is not announced: it is noticed when we wake.
  const timespec time{0, std::min<int64_t>(longest.count(), 50'000'000)};
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(&words_[kChanges]), FUTEX_WAIT, seen, &time, nullptr, 0);
}

}  // namespace belay
