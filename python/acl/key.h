// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "acl/acl_base.h"

namespace belay::python {

// Calls a C function that writes text of at most `length` bytes. No name or key is longer than the limit: 100000.
template <class Write>
aclError fill_text(size_t length, std::string& text, Write write) {
  constexpr size_t kLongest = 1 << 16;
  if (length > kLongest) return ACL_ERROR_INVALID_PARAM;
  std::string buffer(length + 1, '\0');
  const aclError code = write(buffer.data());
  text = buffer.c_str();
  return code;
}

}  // namespace belay::python
