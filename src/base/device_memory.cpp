// SPDX-License-Identifier: Apache-2.0
#include "base/device_memory.h"

namespace belay {

constinit device_memory_detail::Window device_memory_detail::window;

bool opaque_mode() { return false; }

}  // namespace belay
