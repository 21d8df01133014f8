// SPDX-License-Identifier: Apache-2.0
#include "commands/acl_check.h"

#include <stdexcept>
#include <string>

namespace belay::tools {

void check(aclError code, const char* function) {
  if (code == ACL_SUCCESS) return;
  const char* why = aclGetRecentErrMsg();
  throw std::runtime_error(std::string(function) + " returned " + std::to_string(code) +
                           (why ? std::string("\n") + why : ""));
}

}  // namespace belay::tools
