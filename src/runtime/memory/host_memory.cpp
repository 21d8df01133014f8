// SPDX-License-Identifier: Apache-2.0
#include "runtime/memory/host_memory.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <sstream>

#include "acl/acl_rt.h"
#include "base/text.h"
#include "runtime/memory/blocks.h"
#include "runtime/memory/page_cache.h"
#include "runtime/memory/shared_file.h"

namespace belay {
namespace {

constexpr size_t kAskFrom = size_t{64} << 20;
constexpr size_t kPagesFrom = size_t{64} << 10;
constexpr size_t kAlignment = 64;
constexpr uint64_t kUnlimited = std::numeric_limits<uint64_t>::max();

// Files of /proc and /sys have no size: they are read to their end.
std::string text_of(const char* path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// What is left of the limit of the control group, as a container sees it.
uint64_t group_memory_available() {
  const auto limit = parse_number(trimmed(text_of("/sys/fs/cgroup/memory.max")));
  const auto used = parse_number(trimmed(text_of("/sys/fs/cgroup/memory.current")));
  if (!limit || !used) return kUnlimited;
  const std::string stat = text_of("/sys/fs/cgroup/memory.stat");
  const size_t line = stat.find("\ninactive_file ");
  const uint64_t cache = line == std::string::npos ? 0 : strtoull(stat.c_str() + line + 15, nullptr, 10);
  return *limit - std::min(*limit, *used - std::min(*used, cache));
}

}  // namespace

uint64_t meminfo_value(std::string_view meminfo, std::string_view name) {
  for (size_t at = 0; (at = meminfo.find(name, at)) != std::string_view::npos; at += name.size()) {
    const bool starts_line = at == 0 || meminfo[at - 1] == '\n';
    std::string_view rest = meminfo.substr(at + name.size());
    if (!starts_line || !rest.starts_with(':')) continue;
    rest = trimmed(rest.substr(1, rest.find('\n') - 1));
    return parse_number(rest.substr(0, rest.find(' '))).value_or(0) * 1024;
  }
  return 0;
}

uint64_t host_memory_available() {
  const uint64_t whole = meminfo_value(text_of("/proc/meminfo"), "MemAvailable");
  return std::min(whole ? whole : kUnlimited, group_memory_available());
}

Status check_host_can_give(size_t bytes) {
  if (bytes < kAskFrom) return {};
  const uint64_t available = host_memory_available() + page_cache().cached_bytes();
  if (bytes <= available) return {};
  return {ACL_ERROR_RT_MEMORY_ALLOCATION,
          formatted("{} bytes are more than this host has left ({} bytes)", bytes, available)};
}

Result<void*> allocate_host(size_t size, const char* owner) {
  TRY(check_host_can_give(size));
  void* pointer =
      size >= kPagesFrom ? page_cache().take(size) : std::aligned_alloc(kAlignment, rounded_up(size, kAlignment));
  if (!pointer)
    return Status{ACL_ERROR_RT_MEMORY_ALLOCATION, formatted("the host has no {} bytes of memory left", size)};
  blocks().add({.base = static_cast<std::byte*>(pointer), .size = size, .kind = BlockKind::Host, .owner = owner});
  return pointer;
}

Status free_host(void* pointer) {
  const Block block = TRY(blocks().take(pointer, {BlockKind::Host}));
  if (block.size >= kPagesFrom)
    page_cache().give(block.base);
  else
    std::free(block.base);
  return {};
}

}  // namespace belay
