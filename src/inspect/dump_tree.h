// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"

namespace belay::inspect {

// A file that a dump left, and what its name tells.
struct FoundDump {
  std::filesystem::path path;
  std::filesystem::path
      folder;        // of the file, seen from the directory that was searched; empty for a file given by name
  std::string name;  // the file's own name, or what mapping.csv says when that is only digits
  std::string op_type, op_name;  // as the name has them: blanks, dots and slashes are underscores there
  std::optional<uint64_t> task, stream;
  uint64_t time = 0;        // microseconds since 1970, or the digits of an exception file's time
  bool statistics = false;  // a .csv with one row per tensor instead of the tensors
  bool mapped = false;      // the name is from mapping.csv
};

// What a dump file's name says. Nothing when no dump has such a name.
std::optional<FoundDump> parse_dump_name(const std::string& name);

struct DumpTree {
  std::vector<FoundDump> files;  // by folder and then by time
  std::vector<std::string>
      problems;  // what could have been or held dump files and was passed over, each with the reason
};

// The dump files that the paths lead to: files as they are, directories with all beneath them. Other files in
// directories are passed over. 100003 when a path does not exist or a file has no dump's name.
Result<DumpTree> find_dumps(const std::vector<std::filesystem::path>& paths);

// Why an entry of a directory is passed over, though it is named like a file with tensors (`named`) or may hold some: a
// pipe, a link that is not followed, a folder that is closed. "" for regular files, and for what nobody misses.
std::string why_passed_over(const std::filesystem::directory_entry& entry, bool named);

}  // namespace belay::inspect
