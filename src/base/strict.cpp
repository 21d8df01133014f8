// SPDX-License-Identifier: Apache-2.0
#include "base/strict.h"

#include <cstdlib>
#include <string_view>

#include "base/log/say_once.h"

namespace belay {

bool strict_mode() {
  static const bool strict = [] {
    const char* value = getenv("BELAY_STRICT");
    if (!value || !*value || std::string_view(value) == "0") return false;
    if (std::string_view(value) == "1") return true;
    say_once(LogModule::AscendCl, "BELAY_STRICT={} is neither 0 nor 1: it is taken for 0", value);
    return false;
  }();
  return strict;
}

}  // namespace belay
