// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "base/status.h"

namespace belay::inspect {

// Whether a dump file of this name tells of an overflow: it holds a block of 2048 bytes instead of tensors.
bool is_opdebug(const std::string& file_name);

// The block as JSON, in the layout with the magic number or the older one. 100006 when it is too short or says sizes
// that it does not have.
Result<std::string> opdebug_json(std::span<const std::byte> block);

}  // namespace belay::inspect
