// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "acl/acl.h"

namespace belay::tools {

// Throws std::runtime_error with what the library says of it, the function's name and the code.
void check(aclError code, const char* function);
#define CHECK(function, ...) ::belay::tools::check(function(__VA_ARGS__), #function)

// What aclGetRecentErrMsg returned, for a person: the sentence, then function, code and number of the message on a line
// of their own, then the rest; without process and time.
std::string sentence_first(std::string message, const std::string& function, aclError code);

}  // namespace belay::tools
