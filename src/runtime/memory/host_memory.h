// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/status.h"

namespace belay {

// Pinned host memory: to us, host memory that we know. `size` bytes, aligned to 64. 207001 when the host has no more.
Result<void*> allocate_host(size_t size, const char* owner);
// 107000, with what the address is, when it was not allocated so.
Status free_host(void* pointer);

// Bytes that this process may still touch before the system would kill something: /proc/meminfo and the control group.
uint64_t host_memory_available();
// The number in a line "name:   123 kB" of /proc/meminfo, in bytes; 0 when there is none.
uint64_t meminfo_value(std::string_view meminfo, std::string_view name);

// 207001 when `bytes` are so many that the host would run out. Small sizes are not asked about.
Status check_host_can_give(size_t bytes);

}  // namespace belay
