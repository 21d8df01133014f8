// SPDX-License-Identifier: Apache-2.0
// Where the environment wants the cache.
#include <cstdlib>
#include <cstring>

#include "base/files/disk_cache.h"
#include "base/log/say_once.h"

namespace belay {
namespace {

constexpr uint64_t kDefaultSize = uint64_t{4} << 30;

// A program that has more rights than its user must not believe his variables.
std::string variable(const char* name) {
  const char* value = secure_getenv(name);
  return value ? value : "";
}

bool is_off(const std::string& text) {
  if (text.empty() || text == "on" || text == "1") return false;
  if (text == "off" || text == "0") return true;
  say_once(LogModule::Ge, "BELAY_CACHE={} is neither on nor off: the cache is on", text);
  return false;
}

uint64_t wanted_size(const std::string& text) {
  if (text.empty()) return kDefaultSize;
  if (const auto size = parse_size(text)) return *size;
  say_once(LogModule::Ge, "BELAY_CACHE_SIZE={} is not a size such as 512M or 4G: the cache may have 4 GiB", text);
  return kDefaultSize;
}

// A path that is not absolute is ignored, as the XDG Base Directory Specification asks.
std::string place() {
  if (const std::string base = variable("XDG_CACHE_HOME"); base.starts_with('/')) return base + "/belay";
  if (const std::string home = variable("HOME"); home.starts_with('/')) return home + "/.cache/belay";
  return "";
}

}  // namespace

DiskCache* disk_cache() {
  static DiskCache* const one = []() -> DiskCache* {
    const uint64_t size = wanted_size(variable("BELAY_CACHE_SIZE"));
    const std::string directory = place();
    if (is_off(variable("BELAY_CACHE")) || size == 0 || directory.empty()) return nullptr;
    return new DiskCache(directory, size);
  }();
  return one;
}

}  // namespace belay
