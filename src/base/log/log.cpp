// SPDX-License-Identifier: Apache-2.0
#include "base/log/log.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <utility>
#include <vector>

#include "base/log/log_delay.h"
#include "base/log/log_file.h"
#include "base/threads/thread_object.h"

namespace belay {
namespace {

constexpr const char* level_names[] = {"DEBUG", "INFO", "WARNING", "ERROR", "EVENT", "WARNING"};
constexpr std::array<const char*, log_module_count> module_names = {"ASCENDCL", "RUNTIME", "GE", "DUMP", "APP"};

// Where lines go. Left to the system at exit: threads may still log then.
struct Sink {
  std::mutex mutex;
  LogSettings settings;
  std::unique_ptr<LogFile> debug, run;
};

struct Observers {
  std::shared_mutex mutex;  // shared while they are called
  std::map<uint64_t, LogObserver> by_number;
  std::atomic<size_t> count{0};  // of them; read without the lock
  uint64_t next = 1;
};

Sink& sink() {
  static Sink& sink = *new Sink;
  return sink;
}

Observers& observers() {
  static Observers& observers = *new Observers;
  return observers;
}

thread_local bool observing = false;
thread_local int delays = 0;
thread_local bool any_delayed = false;
struct Delayed {
  std::vector<std::pair<bool, std::string>> lines;
};

void apply(const LogSettings& settings) {
  Sink& out = sink();
  std::lock_guard lock(out.mutex);
  out.settings = settings;
  const auto folder = [&](const char* kind) { return settings.directory.empty() ? "" : settings.directory + kind; };
  out.debug = std::make_unique<LogFile>(folder("/debug/plog"), settings.file_size, settings.file_count);
  out.run = std::make_unique<LogFile>(folder("/run/plog"), settings.file_size, settings.file_count);
  for (size_t module = 0; module < log_module_count; ++module) {
    unsigned mask = 0;
    for (unsigned level = 0; level < std::size(level_names); ++level)
      if (settings.enabled(settings.module_level[module], static_cast<LogLevel>(level))) mask |= 1u << level;
    log_masks[module].store(static_cast<uint8_t>(mask), std::memory_order_relaxed);
  }
}

// Reads the environment unless somebody configured the log before.
std::once_flag configured;
void ensure_configured() {
  std::call_once(configured, [] {
    apply(read_log_settings([](const char* name) { return getenv(name); }));
    // A fork while another thread writes must not leave the child with a locked sink.
    pthread_atfork([] { sink().mutex.lock(); }, [] { sink().mutex.unlock(); }, [] { sink().mutex.unlock(); });
  });
}

void show_observers(bool run, std::string_view line) {
  if (observing) return;
  Observers& all = observers();
  if (all.count == 0) return;
  if (delays > 0) {  // the caller holds a lock that an observer, called under ours, may be waiting for
    thread_object<Delayed>().lines.emplace_back(run, line);
    any_delayed = true;
    return;
  }
  std::shared_lock lock(all.mutex);
  observing = true;
  for (const auto& [number, observer] : all.by_number) observer(run, line);
  observing = false;
}

// One line, in the two forms it may be shown in.
struct Line {
  const char* module;
  LogLevel level;
  std::string place;  // "[file.cpp:12]" or nothing
  std::string_view text;

  const char* level_name() const { return level_names[static_cast<size_t>(level)]; }
  // As documented, for files, programs and observers.
  std::string documented() const {
    return formatted("[{}] {}({},{}):{} {}{}\n", level_name(), module, getpid(), program_invocation_short_name,
                     log_time(), place, text);
  }
  // For a person at a terminal: the sentence first.
  std::string readable() const {
    return formatted("[{}] {}  ({} {} {} {}{}{})\n", level_name(), text, module, getpid(),
                     program_invocation_short_name, log_time(), place.empty() ? "" : " ", place);
  }
};

void write_line(const Line& line) {
  const bool run = line.level == LogLevel::Event;
  const std::string documented = line.documented();
  {
    Sink& out = sink();
    std::lock_guard lock(out.mutex);
    if (out.settings.to_stdout) {
      const std::string shown = isatty(STDOUT_FILENO) == 1 ? line.readable() : documented;
      fwrite(shown.data(), 1, shown.size(), stdout);
      fflush(stdout);
    } else {
      (run ? out.run : out.debug)->append(documented);
    }
  }
  show_observers(run, documented);
}

int level_or(const char* text, int fallback) {
  const auto level = text ? parse_number(text) : std::nullopt;
  return level && *level <= 4 ? static_cast<int>(*level) : fallback;
}

// MODULE=level:MODULE=level; pieces that are wrong or name nobody are passed over.
void read_module_levels(std::string_view text, LogSettings& settings) {
  while (!text.empty()) {
    const std::string_view piece = text.substr(0, text.find(':'));
    text.remove_prefix(std::min(text.size(), piece.size() + 1));
    const size_t equals = piece.find('=');
    if (equals == std::string_view::npos) continue;
    for (size_t module = 0; module < log_module_count; ++module) {
      int& level = settings.module_level[module];
      if (piece.substr(0, equals) == module_names[module])
        level = level_or(std::string(piece.substr(equals + 1)).c_str(), level);
    }
  }
}

}  // namespace

bool LogSettings::enabled(int threshold, LogLevel level) const {
  if (level == LogLevel::Event) return events;
  return static_cast<int>(level == LogLevel::Notice ? LogLevel::Error : level) >= threshold;
}

LogSettings read_log_settings(const std::function<const char*(const char*)>& variable) {
  const auto set = [&](const char* name) {
    const char* value = variable(name);
    return value && *value ? value : nullptr;
  };
  LogSettings settings;
  settings.level = level_or(set("ASCEND_GLOBAL_LOG_LEVEL"), settings.level);
  settings.module_level.fill(settings.level);
  if (const char* modules = set("ASCEND_MODULE_LOG_LEVEL")) read_module_levels(modules, settings);
  if (const char* events = set("ASCEND_GLOBAL_EVENT_ENABLE")) settings.events = strcmp(events, "0") != 0;
  const char* to_stdout = set("ASCEND_LOG_PRINT_TO_STDOUT");
  if (!to_stdout) to_stdout = set("ASCEND_SLOG_PRINT_TO_STDOUT");
  settings.to_stdout = to_stdout && strcmp(to_stdout, "1") == 0;
  const char* count = set("ASCEND_HOST_LOG_FILE_NUM");
  const auto files = count ? parse_number(count) : std::nullopt;
  if (files && *files >= 1 && *files <= 1000) settings.file_count = static_cast<int>(*files);
  if (const char* path = set("ASCEND_PROCESS_LOG_PATH")) {
    settings.directory = path;
  } else if (const char* work = set("ASCEND_WORK_PATH")) {
    settings.directory = std::string(work) + "/log";
  } else if (const char* home = set("HOME")) {
    settings.directory = std::string(home) + "/ascend/log";
  }
  return settings;
}

void configure_log(const LogSettings& settings) {
  ensure_configured();
  apply(settings);
}

void log_line(LogModule module, LogLevel level, const char* file, uint32_t line, std::string_view text) noexcept {
  try {
    ensure_configured();
    if (!log_enabled(module, level)) return;
    std::string place;
    if (file) {
      const char* slash = strrchr(file, '/');
      place = formatted("[{}:{}]", slash ? slash + 1 : file, line);
    }
    write_line({module_names[static_cast<size_t>(module)], level, std::move(place), text});
  } catch (...) {
    observing = false;
  }
}

void log_line(const char* module, LogLevel level, std::string_view text) noexcept {
  try {
    if (log_enabled(level)) write_line({module, level, "", text});
  } catch (...) {
    observing = false;
  }
}

bool log_enabled(LogLevel level) noexcept {
  try {
    ensure_configured();
    Sink& out = sink();
    std::lock_guard lock(out.mutex);
    return out.settings.enabled(out.settings.level, level);
  } catch (...) {
    return false;
  }
}

LogDelay::LogDelay() { ++delays; }

LogDelay::~LogDelay() {
  if (--delays > 0 || !std::exchange(any_delayed, false)) return;
  for (const auto& [run, line] : std::exchange(thread_object<Delayed>().lines, {})) show_observers(run, line);
}

uint64_t add_log_observer(LogObserver observer) {
  if (observing) return 0;
  Observers& all = observers();
  std::lock_guard lock(all.mutex);
  all.by_number.emplace(all.next, std::move(observer));
  all.count = all.by_number.size();
  return all.next++;
}

bool remove_log_observer(uint64_t number) {
  if (observing) return false;
  Observers& all = observers();
  std::lock_guard lock(all.mutex);
  const bool known = all.by_number.erase(number) == 1;
  all.count = all.by_number.size();
  return known;
}

std::string log_time() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const int64_t micros = std::chrono::duration_cast<std::chrono::microseconds>(now).count();
  const time_t seconds = micros / 1000000;
  tm local{};
  localtime_r(&seconds, &local);
  char text[48];
  const size_t length = strftime(text, sizeof text, "%Y-%m-%d-%H:%M:%S", &local);
  snprintf(text + length, sizeof text - length, ".%03d.%03d", static_cast<int>(micros / 1000 % 1000),
           static_cast<int>(micros % 1000));
  return text;
}

}  // namespace belay
