// SPDX-License-Identifier: Apache-2.0
#include "base/log/say_once.h"

#include <cstdio>
#include <mutex>
#include <set>

namespace belay {

void say_line_once(LogModule module, const LogPattern& place, const std::string& text) noexcept {
  try {
    static auto& mutex = *new std::mutex;
    static auto& said = *new std::set<std::string>;
    {
      std::lock_guard lock(mutex);
      if (!said.insert(text).second) return;
    }
    log_line(module, LogLevel::Notice, place.file, place.line, text);
    if (log_enabled(module, LogLevel::Notice)) (void)std::fprintf(stderr, "belay: %s\n", text.c_str());
  } catch (...) {
    // Without memory there are more important things to say.
  }
}

}  // namespace belay
