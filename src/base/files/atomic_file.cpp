// SPDX-License-Identifier: Apache-2.0
#include "base/files/atomic_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <set>
#include <utility>

#include "base/faults.h"
#include "base/files/mapped_file.h"
#include "base/text.h"
#include "base/threads/size_signal.h"

namespace belay {
namespace {

constexpr std::string_view kPrefix = ".belay.", kSuffix = ".part";
constexpr size_t kMostVectors = 512;      // at a time
constexpr size_t kMostRemembered = 4096;  // directories; programs run for days

int result(bool ok) { return ok ? 0 : errno; }

int write_all(int file, std::span<iovec> vectors) {
  const SizeSignalBlocked blocked;
  while (!vectors.empty()) {
    const auto count = static_cast<int>(std::min(vectors.size(), kMostVectors));
    const ssize_t written = writev(file, vectors.data(), count);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const int error = errno;
      if (error == EFBIG) blocked.take();
      return error;
    }
    auto left = static_cast<size_t>(written);
    while (!vectors.empty() && left >= vectors.front().iov_len) {
      left -= vectors.front().iov_len;
      vectors = vectors.subspan(1);
    }
    if (left == 0) continue;
    vectors.front().iov_base = static_cast<char*>(vectors.front().iov_base) + left;
    vectors.front().iov_len -= left;
  }
  return 0;
}

iovec vector_of(std::string_view text) { return {const_cast<char*>(text.data()), text.size()}; }

// Where the name stands: up to the last slash.
std::string directory_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == path.npos ? "." : path.substr(0, std::max<size_t>(slash, 1));
}

// Another process may make a file of that name at the same time.
int rename_new(const char* from, const char* to) {
  if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  // Not known to this file system. A second name does the same; those without second names have rename() alone.
  if (link(from, to) == 0) return result(unlink(from) == 0);
  if (errno != EPERM && errno != EOPNOTSUPP && errno != ENOSYS) return errno;
  return result(rename(from, to) == 0);
}

int sync_directory_of(const char* path) {
  char directory[PATH_MAX];
  const char* slash = strrchr(path, '/');
  if (!slash) return sync_directory(".");
  const auto length = std::max<size_t>(static_cast<size_t>(slash - path), 1);
  memcpy(directory, path, length);
  directory[length] = 0;
  return sync_directory(directory);
}

iovec vector_of(std::span<const std::byte> bytes) { return {const_cast<std::byte*>(bytes.data()), bytes.size()}; }

// A device or a pipe: there is nothing to be half written.
int write_through(const std::string& path, const Pieces& content) {
  const int file = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) return errno;
  int error = 0;
  for (size_t i = 0; i < content.size() && !error; ++i) {
    iovec vector = vector_of(content[i]);
    error = write_all(file, std::span(&vector, 1));
  }
  const int closed = result(close(file) == 0);
  return error ? error : closed;
}

// The file that the name leads to, through links; the name itself when there is none.
std::string target_of(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> resolved(realpath(path.c_str(), nullptr), std::free);
  return resolved ? resolved.get() : path;
}

bool is_temporary(std::string_view name) {
  return name.size() > kPrefix.size() + kSuffix.size() && name.starts_with(kPrefix) && name.ends_with(kSuffix);
}

// Whoever writes a file has locked it; the system unlocks it when he ends.
void remove_if_unlocked(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) return;
  struct stat info {};
  if (fstat(file, &info) == 0 && S_ISREG(info.st_mode) && flock(file, LOCK_EX | LOCK_NB) == 0)
    (void)unlink(path.c_str());
  close(file);
}

}  // namespace

// ESTALE: somebody took the new file for a leftover.
int AtomicFile::lock() {
  // Where locks are unknown, nobody else can lock it either: nothing is ever removed there.
  if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return ESTALE;
  struct stat info {};
  if (fstat(descriptor_, &info) != 0) return errno;
  return info.st_nlink == 0 ? ESTALE : 0;
}

int AtomicFile::open(std::string_view directory, std::optional<mode_t> mode) {
  static std::atomic<uint64_t> next{0};
  discard();
  written_ = 0;
  for (;;) {
    const int length =
        snprintf(temporary_, sizeof temporary_, "%.*s/%s%d.%llu%s", static_cast<int>(directory.size()),
                 directory.data(), kPrefix.data(), getpid(), static_cast<unsigned long long>(next++), kSuffix.data());
    if (length < 0 || static_cast<size_t>(length) >= sizeof temporary_) return ENAMETOOLONG;
    descriptor_ = ::open(temporary_, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode ? 0600 : 0666);
    if (descriptor_ < 0 && errno == EEXIST) continue;
    if (descriptor_ < 0) return errno;
    const int error = lock();
    if (error == 0) break;
    discard();
    if (error != ESTALE) return error;
  }
  if (mode && fchmod(descriptor_, *mode) != 0) return errno;
  return 0;
}

int AtomicFile::write(std::string_view text) {
  iovec vector = vector_of(text);
  return write(std::span(&vector, 1));
}

int AtomicFile::write(std::span<iovec> vectors) {
  for (const iovec& vector : vectors) written_ += vector.iov_len;
  return write_all(descriptor_, vectors);
}

int AtomicFile::publish(const char* path, Existing existing, bool synced) {
  if (disk_is_full(written_)) return ENOSPC;
  if (synced && fsync(descriptor_) != 0) return errno;
  // Some file systems tell of a failed write only when the file is closed, but the lock must stay until it has its
  // name.
  const int locked = fcntl(descriptor_, F_DUPFD_CLOEXEC, 0);
  if (locked < 0) return errno;
  int error = result(::close(std::exchange(descriptor_, locked)) == 0);
  if (!error) error = existing == Existing::Keep ? rename_new(temporary_, path) : result(rename(temporary_, path) == 0);
  if (error) return error;
  ::close(std::exchange(descriptor_, -1));
  return synced ? sync_directory_of(path) : 0;
}

void AtomicFile::discard() {
  if (descriptor_ < 0) return;
  (void)unlink(temporary_);
  ::close(std::exchange(descriptor_, -1));
}

Status write_failure(const std::string& path, int error) {
  const char* why = error == EFAULT ? "the file that it is copied from was cut short meanwhile" : strerror(error);
  return {ACL_ERROR_WRITE_FILE, formatted("{} cannot be written: {}", path, why)};
}

Status write_file(const std::string& path, std::span<const std::byte> content, std::optional<mode_t> mode) {
  return write_file(path, Pieces{content}, mode);
}

Status write_file(const std::string& path, const Pieces& content, std::optional<mode_t> mode) {
  struct stat info {};
  const bool there = stat(path.c_str(), &info) == 0;
  if (there && S_ISDIR(info.st_mode)) return write_failure(path, EISDIR);
  if (there && !S_ISREG(info.st_mode)) {
    const int error = write_through(path, content);
    return error ? write_failure(path, error) : Status{};
  }
  const std::string target = there ? target_of(path) : path;
  if (there && !mode) mode = info.st_mode & 07777;
  remove_leftovers_once(directory_of(target));
  AtomicFile file;
  int error = file.open(directory_of(target), mode);
  for (size_t i = 0; i < content.size() && !error; ++i) {
    iovec vector = vector_of(content[i]);
    error = file.write(std::span(&vector, 1));
    forget_pages(content[i].data(), content[i].size());
  }
  if (!error) error = file.publish(target.c_str(), AtomicFile::Existing::Replace);
  return error ? write_failure(path, error) : Status{};
}

Status write_file(const std::string& path, std::string_view content, std::optional<mode_t> mode) {
  return write_file(path, std::as_bytes(std::span(content)), mode);
}

int append_lines(const char* path, std::span<iovec> lines, mode_t mode, bool synced) {
  const int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, mode);
  if (file < 0) return errno;
  (void)fchmod(file, mode);
  while (flock(file, LOCK_EX) != 0 && errno == EINTR) {
  }
  struct stat before {};
  int error = result(fstat(file, &before) == 0);
  if (!error) {
    error = write_all(file, lines);
    if (error) (void)!ftruncate(file, before.st_size);
  }
  if (!error && synced) error = result(fsync(file) == 0);
  const int closed = result(close(file) == 0);
  if (!error) error = closed;
  return !error && synced ? sync_directory_of(path) : error;
}

int sync_directory(const char* path) {
  const int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return errno;
  const int error = result(fsync(directory) == 0);
  close(directory);
  return error;
}

void remove_leftovers(const std::string& directory) {
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(opendir(directory.c_str()), closedir);
  if (!listing) return;
  while (const dirent* entry = readdir(listing.get()))
    if (is_temporary(entry->d_name)) remove_if_unlocked(directory + "/" + entry->d_name);
}

void remove_leftovers_once(const std::string& directory) {
  static auto& mutex = *new std::mutex;
  static auto& seen = *new std::set<std::string>;
  {
    std::lock_guard lock(mutex);
    if (seen.size() >= kMostRemembered) seen.clear();
    if (!seen.insert(directory).second) return;
  }
  remove_leftovers(directory);
}

}  // namespace belay
