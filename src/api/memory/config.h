// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "acl/acl_rt.h"
#include "base/status.h"

namespace belay::api {

// What an aclrtMallocConfig asks for, as far as it makes a difference here.
struct MallocConfig {
  std::optional<int> device;  // nothing: the device of the current context
};

// Null is no configuration. 100000 for attributes that are missing or unknown, 107001 for a device that does not exist.
Result<MallocConfig> read_malloc_config(const aclrtMallocConfig* config);

}  // namespace belay::api
