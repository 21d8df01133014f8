// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

namespace belay {

// Memory for much data that lives long, 64-byte aligned, in huge pages where the system has them. Null: there is none.
std::shared_ptr<void> large_memory(size_t bytes);

}  // namespace belay
