// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <atomic>
#include <climits>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <unordered_map>

#include "base/status.h"
#include "dump/writing/outgoing.h"

namespace belay::dump {

// What could not be written.
struct Drops {
  uint64_t files = 0, bytes = 0;
  std::string first;  // why, of the first one
};

// Writes dump files, whole or not at all (base/files/atomic_file); tables that grow, whole lines. Directories are 0700,
// files 0600 unless said otherwise, whatever the umask. Safe from any thread.
class Files {
 public:
  // `synced`: a file that was written has reached the disk.
  explicit Files(bool synced = false) : synced_(synced) {}

  // Makes the directory of the item's file, so that put() needs neither memory nor locks. 500001 when it cannot.
  Status prepare(Outgoing& item);
  // Writes the file of an item that was prepared: 0, and `path` is what it is called at last, or an error number. May
  // be called in signal handlers.
  int put(const Outgoing& item, char (&path)[PATH_MAX], mode_t mode = 0600) const noexcept;
  // Both. 500001 when it cannot be written; nothing is counted.
  Result<std::string> write_now(Outgoing item, mode_t mode);

  // Counts a file that was not written. May be called in signal handlers.
  void count_drop(uint64_t bytes) noexcept;
  // Keeps why, if it is the first, and logs it, if it is the first of its dump_path.
  void explain_drop(const DumpRoot& root, uint64_t bytes, const std::string& why);
  // What was dropped since this was last asked.
  Drops take_drops();
  // Their numbers, without taking them.
  uint64_t dropped_files() const { return dropped_files_; }
  uint64_t dropped_bytes() const { return dropped_bytes_; }

 private:
  Result<std::string> make_directory(const std::string& parent, const std::string& name) const;
  Result<std::string> directory_for(const Place& place);

  const bool synced_;
  std::atomic<uint64_t> dropped_files_{0}, dropped_bytes_{0};
  std::mutex mutex_;
  // Guarded by mutex_.
  std::unordered_map<std::string, std::string> directories_;  // that exist: by the path asked for
  std::set<std::string> complained_;
  std::string first_;
};

// Removes what processes that are dead left behind half-written in earlier dumps below a dump_path.
void remove_leftovers_of_dumps(const std::string& dump_path);

}  // namespace belay::dump
