// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/log/log.h"

namespace belay {

// A notice about the surroundings of the program, such as a variable whose value cannot be used: it also goes to
// stderr, where somebody looks. Each sentence once in the life of the process; none when the module's level is "none".
void say_line_once(LogModule module, const LogPattern& place, const std::string& text) noexcept;

// say_once(LogModule::Runtime, "BELAY_DEVICES={} is no number: {} devices are simulated", text, count);
template <class... Args>
void say_once(LogModule module, LogPattern pattern, const Args&... args) {
  say_line_once(module, pattern, formatted(pattern.text, args...));
}

}  // namespace belay
