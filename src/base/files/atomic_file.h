// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>
#include <sys/uio.h>

#include <climits>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

// How we write files, all of them: a file that has its name is whole. Until then it has a temporary one,
// ".belay.<pid>.<number>.part", and is locked by its writer, so that others can tell what a dead process left.
namespace belay {

// A file that is being made. Its functions return 0 or an error number; they do not allocate, take no locks and may be
// called in signal handlers. What was not published is removed in the end.
class AtomicFile {
 public:
  enum class Existing { Keep, Replace };

  AtomicFile() = default;
  ~AtomicFile() { discard(); }
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  // In that directory. The mode holds whatever the umask; without one it is 0666 less the umask.
  int open(std::string_view directory, std::optional<mode_t> mode);
  int write(std::string_view text);
  // The vectors are used up.
  int write(std::span<iovec> vectors);
  // For whoever writes by other means.
  int descriptor() const { return descriptor_; }
  // Gives the whole file its name, in the same file system. Keep: EEXIST when there is one of that name. `synced`: it
  // and its name have reached the disk.
  int publish(const char* path, Existing existing, bool synced = false);
  void discard();

 private:
  int lock();

  int descriptor_ = -1;
  uint64_t written_ = 0;
  char temporary_[PATH_MAX];
};

// 100004 (ACL_ERROR_WRITE_FILE): "<path>: No space left on device".
Status write_failure(const std::string& path, int error);

// Writes a whole file, and replaces one of that name: whoever reads it finds the earlier content or all of the new one.
// A link is followed; what is no regular file (a terminal, a pipe) is written to. Without a mode: that of the earlier
// file, or what the umask leaves.
Status write_file(const std::string& path, std::span<const std::byte> content, std::optional<mode_t> mode = {});
Status write_file(const std::string& path, std::string_view content, std::optional<mode_t> mode = {});

// Bytes that follow one another.
using Pieces = std::vector<std::span<const std::byte>>;
// The same, piece by piece; the memory of those in a MappedFile is given back.
Status write_file(const std::string& path, const Pieces& content, std::optional<mode_t> mode = {});

// Adds lines to the end of a table that may be there already: all of them or, when that fails, none. Processes may do
// so at the same time. 0 or an error number; may be called in signal handlers.
int append_lines(const char* path, std::span<iovec> lines, mode_t mode, bool synced = false);

// Waits until the names in a directory have reached the disk.
int sync_directory(const char* path);

// Removes the temporary files that dead processes left in a directory.
void remove_leftovers(const std::string& directory);
// The same, when this process does it for the first time.
void remove_leftovers_once(const std::string& directory);

}  // namespace belay
