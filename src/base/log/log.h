// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/text.h"

namespace belay {

// Notice: a warning that something the user asked for will not happen. It shows as WARNING, but is written at the
// default level too; only "none" silences it.
enum class LogLevel : uint8_t { Debug, Info, Warning, Error, Event, Notice };
enum class LogModule : uint8_t { AscendCl, Runtime, Ge, Dump, App };
constexpr size_t log_module_count = 5;

// What the environment says about logs; by default errors and events, to files.
struct LogSettings {
  int level = 3;  // the lowest that is written: 0 debug ... 3 error, 4 none; for modules without one of their own
  std::array<int, log_module_count> module_level = {3, 3, 3, 3, 3};
  bool events = true;
  bool to_stdout = false;  // instead of files
  std::string directory;   // empty: nowhere to write
  int file_count = 10;
  uint64_t file_size = 20 << 20;

  bool enabled(int threshold, LogLevel level) const;
};

// `variable` answers as getenv does.
LogSettings read_log_settings(const std::function<const char*(const char*)>& variable);

// Replaces what was read from the environment when the first line was logged. Files are made anew, when needed.
void configure_log(const LogSettings& settings);

// For each module one bit per level; all set until the first line makes us read the environment.
inline constinit std::array<std::atomic<uint8_t>, log_module_count> log_masks = {0xff, 0xff, 0xff, 0xff, 0xff};

inline bool log_enabled(LogModule module, LogLevel level) {
  const auto mask = log_masks[static_cast<size_t>(module)].load(std::memory_order_relaxed);
  return mask >> static_cast<unsigned>(level) & 1;
}

// The pattern of a message and the place in the source where it stands.
struct LogPattern {
  LogPattern(const char* pattern, const char* where = __builtin_FILE(), uint32_t row = __builtin_LINE())
      : text(pattern), file(where), line(row) {}
  std::string_view text;
  const char* file;
  uint32_t line;
};

// Writes one line if the level is on. Never fails, whatever becomes of the file. `file` null: a line without a place.
void log_line(LogModule module, LogLevel level, const char* file, uint32_t line, std::string_view text) noexcept;

// The same for a module that is only a name, under the level that has no module.
void log_line(const char* module, LogLevel level, std::string_view text) noexcept;
bool log_enabled(LogLevel level) noexcept;

// log_notice(LogModule::Dump, "layer {} is not in model {}", layer, model);
template <class... Args>
void log_at(LogModule module, LogLevel level, const LogPattern& pattern, const Args&... args) {
  if (log_enabled(module, level)) log_line(module, level, pattern.file, pattern.line, formatted(pattern.text, args...));
}
template <class... Args>
void log_debug(LogModule module, LogPattern pattern, const Args&... args) {
  log_at(module, LogLevel::Debug, pattern, args...);
}
template <class... Args>
void log_info(LogModule module, LogPattern pattern, const Args&... args) {
  log_at(module, LogLevel::Info, pattern, args...);
}
template <class... Args>
void log_warning(LogModule module, LogPattern pattern, const Args&... args) {
  log_at(module, LogLevel::Warning, pattern, args...);
}
template <class... Args>
void log_notice(LogModule module, LogPattern pattern, const Args&... args) {
  log_at(module, LogLevel::Notice, pattern, args...);
}
template <class... Args>
void log_error(LogModule module, LogPattern pattern, const Args&... args) {
  log_at(module, LogLevel::Error, pattern, args...);
}
template <class... Args>
void log_event(LogModule module, LogPattern pattern, const Args&... args) {
  log_at(module, LogLevel::Event, pattern, args...);
}

// Is shown every line that is written; `run` for events, which go to the run log. Lines it logs itself are not shown.
using LogObserver = std::function<void(bool run, std::string_view line)>;
// Its number; 0 (refused) inside an observer.
uint64_t add_log_observer(LogObserver observer);
// The observer is not called after this returns. False when there is none of that number, or inside an observer.
bool remove_log_observer(uint64_t number);

// Local time as logs and error messages show it: YYYY-MM-DD-hh:mm:ss.mmm.uuu.
std::string log_time();

}  // namespace belay
