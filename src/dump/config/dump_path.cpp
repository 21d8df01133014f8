// SPDX-License-Identifier: Apache-2.0
#include "dump/config/dump_path.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/text.h"
#include "dump/config/checks.h"
#include "dump/config/inside.h"
#include "dump/format/names.h"

namespace belay::dump {
namespace {

bool allowed_in_remote_path(char c) {
  return isalnum(static_cast<unsigned char>(c)) || (c != '\0' && strchr("-=[];\\,./!@#$%^&*()_+{}:?", c));
}

Status check_remote(const std::string& path, std::string_view part) {
  if (part.empty()) return wrong("EP0003", formatted("dump_path \"{}\" has no path after the address", path));
  if (!std::ranges::all_of(part, allowed_in_remote_path))
    return wrong("EP0003", formatted("dump_path \"{}\" has a character that a remote path cannot have", path));
  std::error_code ignored;
  const auto here = std::filesystem::current_path(ignored);
  const Status inside = check_inside(here.string(), std::filesystem::path(local_path(path)).lexically_relative(here));
  if (inside.ok()) return {};
  return wrong("EP0003", formatted("dump_path \"{}\" is remote and stays below the working directory, but {}", path,
                                   inside.message));
}

}  // namespace

Status check_dump_path(const std::string& path) {
  if (const auto part = remote_part(path)) return check_remote(path, *part);
  if (path.find('\0') != path.npos) return wrong("EP0003", "dump_path has a NUL byte");
  char resolved[PATH_MAX];
  if (!realpath(path.c_str(), resolved))
    return wrong("EP0003",
                 formatted("dump_path \"{}\" does not exist or cannot be reached ({}); make the directory first", path,
                           strerror(errno)));
  struct stat info {};
  if (stat(resolved, &info) != 0 || !S_ISDIR(info.st_mode))
    return wrong("EP0003", formatted("dump_path \"{}\" is not a directory", path));
  if (access(resolved, R_OK | W_OK) != 0)
    return wrong("EP0003", formatted("dump_path \"{}\" must be readable and writable by this user", path));
  return {};
}

}  // namespace belay::dump
