// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/loaded_model.h"

namespace belay::executor {

// Memory of the host's heap, 64-byte aligned; may be used until the process ends.
Allocator& host_allocator();

}  // namespace belay::executor
