// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "graph/tensor/types.h"

// Whether numbers are finite, and making them so. Looked at are float, binary16, bfloat16, double and the complex types
// made of them (by their parts); all other types are taken to be finite. Many elements are shared among the threads of
// the calling thread's scope.
namespace belay::graph {

// The largest magnitude among `count` elements that lie one after the other: NaN when one of them is NaN, else infinity
// when one is infinite; 0 for other types.
double largest_magnitude(DataType type, const void* data, uint64_t count);
bool all_finite(DataType type, const void* data, uint64_t count);

// What saturation mode makes of a result: infinities become the largest finite number of their sign, NaN becomes 0.
// Whether there was any.
bool saturate(DataType type, void* data, uint64_t count);

}  // namespace belay::graph
