// SPDX-License-Identifier: Apache-2.0
#include "dump/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/faults.h"
#include "base/log.h"
#include "base/text.h"

namespace belay::dump {
namespace {

constexpr size_t kMostDirectories = 4096;  // remembered; programs run for days
constexpr size_t kMostVectors = 512;
constexpr mode_t kDirectoryMode = 0700, kFileMode = 0600;

Status failed(const std::string& path, int error) {
  return {ACL_ERROR_FAILURE, formatted("{}: {}", path, strerror(error))};
}

// Closes on every way out.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }
  // Some file systems tell of a failed write only now.
  bool close() { return ::close(std::exchange(number_, -1)) == 0; }

 private:
  int number_;
};

bool write_all(int file, std::vector<iovec> vectors) {
  size_t first = 0;
  while (first < vectors.size()) {
    const auto count = static_cast<int>(std::min(vectors.size() - first, kMostVectors));
    const ssize_t written = writev(file, vectors.data() + first, count);
    if (written < 0) {
      if (errno == EINTR) continue;
      return false;
    }
    auto left = static_cast<size_t>(written);
    for (; first < vectors.size() && left >= vectors[first].iov_len; ++first) left -= vectors[first].iov_len;
    if (left == 0) continue;
    vectors[first].iov_base = static_cast<char*>(vectors[first].iov_base) + left;
    vectors[first].iov_len -= left;
  }
  return true;
}

std::vector<iovec> vectors_of(const Outgoing& item) {
  std::vector<iovec> vectors{{const_cast<char*>(item.head.data()), item.head.size()}};
  for (const Piece& piece : item.pieces)
    if (piece.bytes > 0) vectors.push_back({const_cast<void*>(piece.data), piece.bytes});
  return vectors;
}

// In one write, so that the lines of two processes do not mix.
Status append(const std::string& path, const std::string& lines) {
  const Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, kFileMode));
  if (file.number() < 0) return failed(path, errno);
  (void)fchmod(file.number(), kFileMode);
  if (!write_all(file.number(), {{const_cast<char*>(lines.data()), lines.size()}})) return failed(path, errno);
  return {};
}

// "<digits>,<name>" in the directory's mapping.csv: one line per name that was too long.
Status add_mapping(const std::string& directory, const std::string& digits, std::string name) {
  std::ranges::replace(name, '\n', '_');
  return append(directory + "/mapping.csv", digits + "," + name + "\n");
}

// Makes the directory `name` in an existing one; what it is really called.
Result<std::string> make_directory(const std::string& parent, const std::string& name) {
  std::string path = parent + "/" + name;
  if (mkdir(path.c_str(), kDirectoryMode) == 0) {
    (void)chmod(path.c_str(), kDirectoryMode);
    return path;
  }
  if (errno == EEXIST) return path;
  if (errno != ENAMETOOLONG) return failed(path, errno);
  const std::string digits = digits_for(path);
  path = parent + "/" + digits;
  if (mkdir(path.c_str(), kDirectoryMode) != 0) {
    if (errno == EEXIST) return path;
    return failed(path, errno);
  }
  (void)chmod(path.c_str(), kDirectoryMode);
  TRY(add_mapping(parent, digits, name));
  return path;
}

// Never replaces a file: another process may write into the same directory.
int rename_new(const std::string& from, const std::string& to) {
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  return rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;  // a file system that cannot tell
}

// The same name with the time (before `.csv`, if that is there) one microsecond later.
std::string later_name(const std::string& name) {
  const std::string_view suffix = name.ends_with(".csv") ? ".csv" : "";
  const std::string bare = name.substr(0, name.size() - suffix.size());
  const size_t dot = bare.rfind('.');
  const auto time = dot == bare.npos ? std::nullopt : parse_number(std::string_view(bare).substr(dot + 1));
  return time ? bare.substr(0, dot + 1) + std::to_string(*time + 1) + std::string(suffix) : name + "_";
}

// Gives a whole file its name, and tells it. One that is too long becomes digits, one that another process took a later
// time.
Result<std::string> publish(const std::string& temporary, const std::string& directory, std::string name) {
  for (;;) {
    std::string path = directory + "/" + name;
    int error = rename_new(temporary, path);
    if (error == ENAMETOOLONG) {
      const std::string digits = digits_for(path);
      TRY(add_mapping(directory, digits, name));
      path = directory + "/" + digits;
      error = rename_new(temporary, path);
    }
    if (error == 0) return path;
    if (error != EEXIST) return failed(path, error);
    name = later_name(name);
  }
}

}  // namespace

Result<std::string> Files::directory_for(const Place& place) {
  const std::string wanted = place.root->real + "/" + place.root->time + "/" + place.directory;
  {
    std::lock_guard lock(mutex_);
    if (const auto found = directories_.find(wanted); found != directories_.end()) return found->second;
  }
  std::string path =
      place.root->time.empty() ? place.root->real : TRY(make_directory(place.root->real, place.root->time));
  for (std::string_view rest = place.directory; !rest.empty();) {
    const std::string_view part = rest.substr(0, rest.find('/'));
    path = TRY(make_directory(path, std::string(part)));
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
  }
  std::lock_guard lock(mutex_);
  if (directories_.size() >= kMostDirectories) directories_.clear();
  return directories_[wanted] = path;
}

void Files::forget_directory(const Place& place) {
  std::lock_guard lock(mutex_);
  directories_.erase(place.root->real + "/" + place.root->time + "/" + place.directory);
}

Result<std::string> Files::write_now(const Outgoing& item, mode_t mode) {
  const std::string hidden =
      formatted("/.{}.{}.part", getpid(), digits_for(item.place.directory + "/" + item.place.name));
  std::string directory = TRY(directory_for(item.place));
  if (item.grows) {
    const std::string path = directory + "/" + item.place.name;
    TRY(append(path, item.head));
    return path;
  }
  constexpr int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW;
  int number = open((directory + hidden).c_str(), flags, kFileMode);
  if (number < 0 && errno == ENOENT) {  // somebody removed the directory
    forget_directory(item.place);
    directory = TRY(directory_for(item.place));
    number = open((directory + hidden).c_str(), flags, kFileMode);
  }
  const std::string temporary = directory + hidden;
  if (number < 0) return failed(temporary, errno);
  Descriptor file(number);
  (void)fchmod(file.number(), mode);
  Result<std::string> path = Status{};
  if (disk_is_full(item.bytes()))
    path = failed(directory + "/" + item.place.name, ENOSPC);
  else if (!write_all(file.number(), vectors_of(item)) || !file.close())
    path = failed(directory + "/" + item.place.name, errno);
  else
    path = publish(temporary, directory, item.place.name);
  if (!path.ok()) (void)unlink(temporary.c_str());
  return path;
}

void Files::write(const Outgoing& item) {
  if (const auto path = write_now(item, kFileMode); !path.ok()) dropped(item, path.status().message);
}

void Files::dropped(const Outgoing& item, const std::string& why) {
  std::lock_guard lock(mutex_);
  if (drops_.files++ == 0) drops_.first = why;
  drops_.bytes += item.bytes();
  if (!complained_.insert(item.place.root->real).second) return;
  log_error(LogModule::Dump,
            "a dump file of {} bytes cannot be written: {}; the run continues, further losses are only counted",
            item.bytes(), why);
}

Drops Files::take_drops() {
  std::lock_guard lock(mutex_);
  complained_.clear();
  return std::exchange(drops_, {});
}

}  // namespace belay::dump
