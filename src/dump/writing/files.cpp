// SPDX-License-Identifier: Apache-2.0
#include "dump/writing/files.h"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/faults.h"
#include "base/files/atomic_file.h"
#include "base/log/log.h"
#include "base/log/log_delay.h"
#include "base/text.h"

namespace belay::dump {
namespace {

constexpr size_t kMostDirectories = 4096;  // remembered; programs run for days
constexpr mode_t kDirectoryMode = 0700, kFileMode = 0600;
constexpr size_t kTimeLength = 14;  // YYYYmmddHHMMSS

using Path = char[PATH_MAX];

Status failed(const std::string& path, int error) {
  return {ACL_ERROR_FAILURE, formatted("{}: {}", path, strerror(error))};
}

iovec vector_of(std::string_view text) { return {const_cast<char*>(text.data()), text.size()}; }

// "<directory>/<name>"; false when that is longer than any path.
bool join(Path& path, std::string_view directory, std::string_view name) {
  if (directory.size() + name.size() + 2 > sizeof path) return false;
  memcpy(path, directory.data(), directory.size());
  path[directory.size()] = '/';
  memcpy(path + directory.size() + 1, name.data(), name.size());
  path[directory.size() + 1 + name.size()] = 0;
  return true;
}

// "<digits>,<name>" in the directory's mapping.csv: one line per name that was too long. A new line in the name is '_'.
int add_mapping(std::string_view directory, std::string_view digits, std::string_view name, bool synced) {
  Path path;
  if (!join(path, directory, "mapping.csv")) return ENAMETOOLONG;
  std::array<iovec, 64> line{vector_of(digits), vector_of(",")};
  size_t parts = 2;
  for (;; ++parts) {
    const std::string_view part = name.substr(0, name.find('\n'));
    if (parts + 3 >= line.size()) return ENAMETOOLONG;
    line[parts] = vector_of(part);
    name.remove_prefix(part.size());
    if (name.empty()) break;
    name.remove_prefix(1);
    line[++parts] = vector_of("_");
  }
  line[++parts] = vector_of("\n");
  return append_lines(path, std::span(line).first(parts + 1), kFileMode, synced);
}

int write(AtomicFile& file, const Outgoing& item) {
  std::array<iovec, 64> vectors;
  vectors[0] = vector_of(item.head);
  size_t count = 1;
  for (const Piece& piece : item.pieces) {
    if (piece.bytes == 0) continue;
    if (count == vectors.size()) {
      if (const int error = file.write(std::span(vectors))) return error;
      count = 0;
    }
    vectors[count++] = {const_cast<void*>(piece.data), piece.bytes};
  }
  return file.write(std::span(vectors).first(count));
}

// The same name with the time (before `.csv`, if that is there) one microsecond later.
bool make_later(Path& path) {
  const size_t length = strlen(path);
  const bool csv = std::string_view(path, length).ends_with(".csv");
  const size_t end = csv ? length - 4 : length;
  size_t begin = end;
  while (begin > 0 && isdigit(static_cast<unsigned char>(path[begin - 1]))) --begin;
  if (begin > 0 && begin < end && path[begin - 1] == '.') {
    unsigned long long time = 0;
    for (size_t i = begin; i < end; ++i) time = 10 * time + static_cast<unsigned>(path[i] - '0');
    const size_t room = sizeof path - begin;
    return static_cast<size_t>(snprintf(path + begin, room, "%llu%s", time + 1, csv ? ".csv" : "")) < room;
  }
  if (length + 2 > sizeof path) return false;
  path[length] = '_';
  path[length + 1] = 0;
  return true;
}

// Gives a whole file its name, and tells it. One that is too long becomes digits, one that another process took a later
// time.
int publish(AtomicFile& file, const Outgoing& item, bool synced, Path& path) {
  const std::string_view name = item.place.name;
  bool fits = join(path, item.target, name);
  for (bool shortened = false;;) {
    const int error = fits ? file.publish(path, AtomicFile::Existing::Keep, synced) : ENAMETOOLONG;
    if (error == ENAMETOOLONG && !shortened) {
      char digits[kMostDigits];
      write_digits(digits, item.target, name);
      if (const int unmapped = add_mapping(item.target, digits, name, synced)) return unmapped;
      fits = join(path, item.target, digits);
      shortened = true;
    } else if (error == EEXIST) {
      fits = make_later(path);
    } else {
      return error;
    }
  }
}

// Where the file is while it is written: at the top of the dump, where what dead processes left is found without
// looking through all of it.
std::string_view place_of_part(const Outgoing& item) {
  const DumpRoot& root = *item.place.root;
  if (root.time.empty()) return item.target;
  return std::string_view(item.target).substr(0, root.real.size() + 1 + root.time.size());
}

// Makes the directories below the root that somebody removed.
void make_again(const Outgoing& item) {
  Path path;
  if (!join(path, item.target, "")) return;
  for (char* slash = path + item.place.root->real.size() + 1; (slash = strchr(slash, '/')); ++slash) {
    *slash = 0;
    if (mkdir(path, kDirectoryMode) == 0) (void)chmod(path, kDirectoryMode);
    *slash = '/';
  }
}

int put_once(const Outgoing& item, bool synced, Path& path, mode_t mode) {
  if (item.grows) {
    iovec lines = vector_of(item.head);
    if (!join(path, item.target, item.place.name)) return ENAMETOOLONG;
    return append_lines(path, std::span(&lines, 1), kFileMode, synced);
  }
  AtomicFile file;
  int error = file.open(place_of_part(item), mode);
  if (!error) error = write(file, item);
  return error ? error : publish(file, item, synced, path);
}

}  // namespace

// Makes the directory `name` in an existing one; what it is really called.
Result<std::string> Files::make_directory(const std::string& parent, const std::string& name) const {
  std::string path = parent + "/" + name;
  int error = mkdir(path.c_str(), kDirectoryMode) == 0 ? 0 : errno;
  if (error == ENAMETOOLONG) {
    const std::string digits = digits_for(path);
    path = parent + "/" + digits;
    error = mkdir(path.c_str(), kDirectoryMode) == 0 ? 0 : errno;
    if (!error) error = add_mapping(parent, digits, name, synced_);
  }
  if (error == EEXIST) return path;
  if (error) return failed(path, error);
  (void)chmod(path.c_str(), kDirectoryMode);
  if (synced_) error = sync_directory(parent.c_str());
  return error ? Result<std::string>(failed(path, error)) : path;
}

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
  if (place.root->time.empty()) remove_leftovers_once(path);
  std::lock_guard lock(mutex_);
  if (directories_.size() >= kMostDirectories) directories_.clear();
  return directories_[wanted] = path;
}

Status Files::prepare(Outgoing& item) {
  (void)faults();  // are read when they are first asked for; not by put()
  item.target = TRY(directory_for(item.place));
  return {};
}

int Files::put(const Outgoing& item, char (&path)[PATH_MAX], mode_t mode) const noexcept {
  int error = put_once(item, synced_, path, mode);
  if (error != ENOENT) return error;
  make_again(item);
  return put_once(item, synced_, path, mode);
}

Result<std::string> Files::write_now(Outgoing item, mode_t mode) {
  TRY(prepare(item));
  Path path;
  if (const int error = put(item, path, mode)) return failed(item.target + "/" + item.place.name, error);
  return std::string(path);
}

void Files::count_drop(uint64_t bytes) noexcept {
  ++dropped_files_;
  dropped_bytes_ += bytes;
}

void Files::explain_drop(const DumpRoot& root, uint64_t bytes, const std::string& why) {
  const LogDelay delay;
  std::lock_guard lock(mutex_);
  if (first_.empty()) first_ = why;
  if (!complained_.insert(root.real).second) return;
  log_error(LogModule::Dump,
            "a dump file of {} bytes cannot be written: {}; the run continues, further losses are only counted", bytes,
            why);
}

Drops Files::take_drops() {
  std::lock_guard lock(mutex_);
  complained_.clear();
  return {dropped_files_.exchange(0), dropped_bytes_.exchange(0), std::exchange(first_, {})};
}

void remove_leftovers_of_dumps(const std::string& dump_path) {
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(opendir(dump_path.c_str()), closedir);
  if (!listing) return;
  while (const dirent* entry = readdir(listing.get())) {
    const std::string_view name = entry->d_name;
    if (name.size() == kTimeLength && std::ranges::all_of(name, [](unsigned char c) { return isdigit(c); }))
      remove_leftovers(dump_path + "/" + entry->d_name);
  }
}

}  // namespace belay::dump
