// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace belay::backend::cpu::panels {

// to[i * channels + c] = from[c * apart + i] for i in [0, count): the channels of some pixels side by side.
void interleave(const float* from, int64_t apart, int64_t channels, int64_t count, float* to);

}  // namespace belay::backend::cpu::panels
