// SPDX-License-Identifier: Apache-2.0
#include "base/device_memory.h"

#include <sys/mman.h>

#include <cstdlib>
#include <string_view>

#include "base/log/say_once.h"

namespace belay {

constinit device_memory_detail::Window device_memory_detail::window;

namespace {

constexpr uintptr_t kUnit = uintptr_t{2} << 20;  // a huge page: blocks are aligned to it from that size on
// Addresses cost nothing, and those of freed blocks are given out again when all were: so many as there are. Limits
// (ulimit -v) and sanitizers leave fewer.
constexpr uintptr_t kMost = uintptr_t{8} << 40, kLeast = uintptr_t{16} << 30;

bool reserve(uintptr_t bytes) {
  void* at = mmap(nullptr, 2 * bytes + kUnit, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) return false;
  device_memory_detail::window = {(reinterpret_cast<uintptr_t>(at) + kUnit - 1) / kUnit * kUnit, bytes, true};
  return true;
}

// Before the first thread and before any other code of ours, so that everybody may look without a lock.
[[gnu::constructor(101)]] void open_window() {
  const char* value = std::getenv("BELAY_OPAQUE");
  if (!value || std::string_view(value) != "1") return;
  device_memory_detail::window.asked = true;
  for (uintptr_t bytes = kMost; bytes >= kLeast; bytes /= 2)
    if (reserve(bytes)) return;
}

}  // namespace

void check_opaque_variable() {
  const char* value = std::getenv("BELAY_OPAQUE");
  if (opaque_mode() || !value || !*value || std::string_view(value) == "0") return;
  say_once(LogModule::AscendCl,
           "BELAY_OPAQUE={} is neither 0 nor 1, or was set after the library was loaded: it is taken for 0", value);
}

}  // namespace belay
