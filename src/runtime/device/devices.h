// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/status.h"

namespace belay {

// The simulated devices: BELAY_DEVICES of them, numbered from 0 (physical ids). ASCEND_RT_VISIBLE_DEVICES chooses some;
// programs number those from 0 again (user ids). The environment is read once, when first asked.

// The number of devices programs see.
int device_count();

// The physical id of a user id. ACL_ERROR_RT_INVALID_DEVICEID, and the range, when there is no such device.
Result<int> physical_device(int user_id);

// The user id of a physical id; nothing when the device does not exist or is filtered out.
std::optional<int> user_device(int physical_id);

// Bytes of memory of each device: BELAY_DEVICE_MEMORY, else what the SoC has.
uint64_t device_memory_size();

// What the variables mean; null: not set. A value that makes no sense gives nothing.
std::optional<int> parse_device_count(const char* text);
std::optional<uint64_t> parse_device_memory(const char* text);
// A comma list of ascending ids below `count`; reading stops at the first that is none. Null: all.
std::vector<int> parse_visible_devices(const char* text, int count);

}  // namespace belay
