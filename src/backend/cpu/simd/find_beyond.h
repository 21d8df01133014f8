// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace belay::backend::cpu {

// Where the first float is that is not at most (with `above`) or not at least the limit: a NaN is neither. `count` when
// there is none.
size_t find_beyond(bool above, const float* x, size_t count, float limit);

}  // namespace belay::backend::cpu
