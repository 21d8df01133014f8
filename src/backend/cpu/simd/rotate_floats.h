// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace belay::backend::cpu {

// y = x * cos + x' * sin for `width` floats, an even number. x' has the halves of x exchanged, or with `neighbours`
// each two neighbours; what comes from behind is negative.
void rotate_floats(bool neighbours, const float* x, const float* cos, const float* sin, float* y, size_t width);

}  // namespace belay::backend::cpu
