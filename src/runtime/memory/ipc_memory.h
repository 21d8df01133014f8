// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/status.h"

namespace belay {

// Device memory shown to other processes by a key: a text that the program carries over. Safe from any thread.

constexpr size_t kIpcKeyBytes = 65;  // room that a key needs, with its end

// A key for `size` bytes from `pointer`, which lie in one block of device memory. The key is good until it is closed
// here.
Result<std::string> export_memory(void* pointer, size_t size, bool for_everybody);
// Admits processes to a key of this process.
Status admit_to_key(const std::string& key, std::span<const int32_t> pids);
// The memory of a key, in this process and for `device`; the same address when imported before. 107000 when the key is
// none or its process has ended, 207006 when the key does not admit this process.
Result<void*> import_memory(const std::string& key, int device);
// Ends one import of the key, or else the export. 107000 when this process did neither.
Status close_key(const std::string& key);
// Whether this process has exported or imported the key.
bool knows_key(const std::string& key);

}  // namespace belay
