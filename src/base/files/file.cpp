// SPDX-License-Identifier: Apache-2.0
#include "base/files/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/files/descriptor.h"
#include "base/text.h"

namespace belay {
namespace {

Status unusable(const std::string& path, std::string_view reason) {
  return {ACL_ERROR_INVALID_FILE, formatted("file {} cannot be used: {}", path, reason), "EH0003"};
}

}  // namespace

Result<std::string> read_text(const std::string& path, size_t limit) {
  // Not blocking: opening a pipe must fail the check below instead of waiting for a writer.
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.number < 0) return unusable(path, strerror(errno));
  struct stat info {};
  if (fstat(file.number, &info) != 0) return unusable(path, strerror(errno));
  if (!S_ISREG(info.st_mode)) return unusable(path, "it is not a regular file");
  std::string text;
  char block[1 << 16];
  for (;;) {
    const ssize_t got = read(file.number, block, sizeof block);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return unusable(path, strerror(errno));
    if (got == 0) return text;
    text.append(block, static_cast<size_t>(got));
    if (text.size() > limit) return unusable(path, formatted("it is larger than {} bytes", limit));
  }
}

bool make_directories(const std::string& path) {
  for (size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const std::string part = path.substr(0, end);
    if (mkdir(part.c_str(), 0750) != 0 && errno != EEXIST && errno != EISDIR) return false;
    if (end == std::string::npos) break;
  }
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

}  // namespace belay
