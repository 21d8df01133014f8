// SPDX-License-Identifier: Apache-2.0
#include "base/files/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace belay {

void hold_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) >= 0) continue;
    // The lowest number that is free; open for the wrong direction.
    (void)!open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

std::string unwritten_output() {
  errno = 0;
  if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return "";
  // Of an earlier write the reason is not kept: it is asked for again.
  if (errno == 0) (void)!write(STDOUT_FILENO, "\n", 1);
  return std::string("the output cannot be written") + (errno ? std::string(": ") + std::strerror(errno) : "");
}

}  // namespace belay
