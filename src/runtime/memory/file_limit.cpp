// SPDX-License-Identifier: Apache-2.0
#include "runtime/memory/file_limit.h"

#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>

#include "base/text.h"
#include "base/threads/size_signal.h"

namespace belay {

bool resize_file(int fd, size_t bytes) {
  const SizeSignalBlocked blocked;
  if (ftruncate(fd, static_cast<off_t>(bytes)) == 0) return true;
  if (errno == EFBIG) blocked.take();
  return false;
}

std::string file_limit_text() {
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return "";
  return formatted("; the limit on the size of files (ulimit -f) is {} bytes, and holds for shared memory too",
                   limit.rlim_cur);
}

}  // namespace belay
