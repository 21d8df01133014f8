// SPDX-License-Identifier: Apache-2.0
#include "base/files/nameless_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/text.h"

namespace belay {

Result<int> nameless_file() {
  const char* folder = std::getenv("TMPDIR");
  std::string name = std::string(folder && *folder ? folder : "/tmp") + "/belay-XXXXXX";
  const int file = mkstemp(name.data());
  if (file < 0) return Status{ACL_ERROR_WRITE_FILE, formatted("cannot make {}: {}", name, std::strerror(errno))};
  unlink(name.c_str());
  return file;
}

}  // namespace belay
