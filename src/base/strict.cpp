// SPDX-License-Identifier: Apache-2.0
#include "base/strict.h"

#include <cstdlib>
#include <string_view>

namespace belay {

bool strict_mode() {
  static const bool strict = [] {
    const char* value = getenv("BELAY_STRICT");
    return value && std::string_view(value) == "1";
  }();
  return strict;
}

}  // namespace belay
