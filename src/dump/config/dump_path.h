// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/status.h"

namespace belay::dump {

// Whether files may go there: 100009, EP0003 unless it is an existing directory that this user may read and write, or
// the remote form ip:path with the allowed characters, which no link leads out of the working directory.
Status check_dump_path(const std::string& path);

}  // namespace belay::dump
