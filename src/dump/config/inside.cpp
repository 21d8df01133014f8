// SPDX-License-Identifier: Apache-2.0
#include "dump/config/inside.h"

#include <algorithm>
#include <filesystem>

#include "base/text.h"
#include "dump/config/environment.h"

namespace belay::dump {

namespace fs = std::filesystem;

namespace {

bool is_within(const fs::path& base, const fs::path& path) {
  return std::mismatch(base.begin(), base.end(), path.begin(), path.end()).first == base.end();
}

// The real path of what exists, and the rest as it is written.
Result<std::string> resolved_inside(const std::string& base, const std::string& wanted) {
  std::error_code no_base, no_path;
  const fs::path real_base = fs::canonical(base, no_base), resolved = fs::weakly_canonical(wanted, no_path);
  if (no_base || no_path)
    return Status{ACL_ERROR_FAILURE,
                  formatted("{} cannot be reached: {}", wanted, (no_base ? no_base : no_path).message())};
  if (!is_within(real_base, resolved))
    return Status{ACL_ERROR_FAILURE,
                  formatted("{} leads to {}, outside of {}", wanted, resolved.string(), real_base.string())};
  return resolved.string();
}

}  // namespace

Status check_inside(const std::string& base, const std::string& directory) {
  TRY(resolved_inside(base, base + "/" + directory));
  return {};
}

Result<std::string> make_inside(const std::string& base, const std::string& directory) {
  const std::string wanted = base + "/" + directory;
  TRY(resolved_inside(base, wanted));
  if (!make_private_directories(wanted))
    return Status{ACL_ERROR_FAILURE, formatted("{} cannot be made, or cannot be read and written", wanted)};
  return resolved_inside(base, wanted);  // somebody may have put a link there meanwhile
}

}  // namespace belay::dump
