// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/status.h"

// Directories that must not leave the one they belong to, whatever links lead where.
namespace belay::dump {

// 500001 when `directory`, as far as it exists, leads out of `base`. Makes nothing. `base` must exist.
Status check_inside(const std::string& base, const std::string& directory);

// The same, then makes what is missing, 0700; the real path. 500001 too when that cannot be made, read and written.
Result<std::string> make_inside(const std::string& base, const std::string& directory);

}  // namespace belay::dump
