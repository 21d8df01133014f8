// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <unordered_map>

#include "base/status.h"
#include "dump/outgoing.h"

namespace belay::dump {

// What could not be written.
struct Drops {
  uint64_t files = 0, bytes = 0;
  std::string first;  // why, of the first one
};

// Writes dump files. A file with its final name is whole: it is made under a temporary name, in the same directory, and
// renamed; only tables that grow are not. Directories are 0700, files 0600 unless said otherwise, whatever the umask.
// Safe from any thread.
class Files {
 public:
  // Never fails: what cannot be written is counted, and said once per dump_path.
  void write(const Outgoing& item);
  // Writes the file and tells what it is called at last. 500001 when it cannot be written; nothing is counted.
  Result<std::string> write_now(const Outgoing& item, mode_t mode);
  void dropped(const Outgoing& item, const std::string& why);
  // What was dropped since this was last asked.
  Drops take_drops();

 private:
  Result<std::string> directory_for(const Place& place);
  void forget_directory(const Place& place);

  std::mutex mutex_;
  // Guarded by mutex_.
  std::unordered_map<std::string, std::string> directories_;  // that exist: by the path asked for
  std::set<std::string> complained_;
  Drops drops_;
};

}  // namespace belay::dump
