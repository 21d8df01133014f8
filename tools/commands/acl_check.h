// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "acl/acl.h"

namespace belay::tools {

// Throws std::runtime_error with the function's name, the code, and what the library says of it.
void check(aclError code, const char* function);
#define CHECK(function, ...) ::belay::tools::check(function(__VA_ARGS__), #function)

}  // namespace belay::tools
