// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <ctime>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace belay {

// A directory of files with what can be made again, but only slowly. Processes share it: a file that has its name is
// whole, is never written to again, and is mapped by whoever needs it, so that all of them have the same memory. When
// there is no room, what was used longest ago goes; who has it mapped keeps it. Nothing that happens to the directory
// is an error: without it, things are made again.
class DiskCache {
 public:
  DiskCache(std::string directory, uint64_t most_bytes) : directory_(std::move(directory)), most_bytes_(most_bytes) {}

  const std::string& directory() const { return directory_; }
  uint64_t most_bytes() const { return most_bytes_; }

  // What was stored under this key, mapped for reading; null when there is nothing. The key says all that the content
  // depends on. Every byte is checked: what is damaged or not ours is removed, and the log says so.
  std::shared_ptr<const void> find(std::string_view key, size_t bytes);
  // Keeps a copy. `label` is for people, as in `belay cache`.
  void store(std::string_view key, std::string_view label, std::span<const std::byte> content);

  struct Entry {
    std::string name;  // of the file
    std::string label;
    uint64_t bytes = 0;  // on the disk
    timespec used{};
    ino_t number = 0;
  };
  // By the time of their last use, the oldest first. Labels only when asked for: that opens every file.
  std::vector<Entry> entries(bool labels) const;
  // Removes all of them, and what dead processes left; how many bytes that were. `kept`: what cannot be removed, and why.
  uint64_t clear(std::vector<std::string>& kept);

 private:
  std::shared_ptr<const void> map(int file, std::string_view key, size_t bytes, std::string& problem) const;
  std::string path_of(const std::string& name) const { return directory_ + "/" + name; }
  bool make_directory();
  bool make_room(uint64_t bytes);
  void give_up(const char* what, int error);
  void uses(const std::string& name);

  const std::string directory_;
  const uint64_t most_bytes_;
  std::atomic<bool> storing_{true};  // false: it failed, and would fail again
  std::mutex mutex_;
  std::set<std::string> used_;  // by this process, which does not remove them; guarded by mutex_
  uint64_t room_ = 0;           // that may be filled before the directory is looked at again; guarded by mutex_
};

// The cache that the environment asks for: the folder "belay" in XDG_CACHE_HOME, or in .cache in HOME. Null when
// BELAY_CACHE=off, BELAY_CACHE_SIZE=0, or there is no such place. Read once.
DiskCache* disk_cache();

}  // namespace belay
