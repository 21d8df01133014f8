// SPDX-License-Identifier: Apache-2.0
// What the module holds for streams: launched callbacks and allocators. Everything here is guarded by the GIL.
#pragma once

#include <cstdint>

namespace belay::python {

// After aclFinalize: no callback and no allocator function runs any more.
void drop_all_calls();
void drop_all_allocators();
// After a stream has been destroyed.
void drop_allocators_of(uint64_t stream);

}  // namespace belay::python
