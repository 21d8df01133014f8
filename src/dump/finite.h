// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "graph/types.h"

namespace belay::dump {

// Whether none of `count` elements, which lie one after the other, is infinite or NaN. Looks at float, binary16,
// bfloat16, double and the complex types made of them; all other types are taken to be finite. Stops soon after the
// first that is not. Large tensors are shared among the threads of the calling thread's scope.
bool all_finite(graph::DataType type, const void* data, uint64_t count);

}  // namespace belay::dump
