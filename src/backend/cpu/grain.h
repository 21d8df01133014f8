// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

namespace belay::backend::cpu {

// The grain of parallel_for for elements that take so many steps of about a nanosecond each: calling a thread for less
// would take longer than the work.
inline int64_t grain_of(int64_t steps) { return std::max<int64_t>(1, (1 << 14) / std::max<int64_t>(1, steps)); }

}  // namespace belay::backend::cpu
