// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/status.h"

namespace belay {

// The content of the regular file that `path` leads to. ACL_ERROR_INVALID_FILE when the path cannot be resolved, is
// something else, cannot be read, or holds more than `limit` bytes.
Result<std::string> read_text(const std::string& path, size_t limit);

// Makes the directory and those above it (mode 0750). False when that fails.
bool make_directories(const std::string& path);

}  // namespace belay
