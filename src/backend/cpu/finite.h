// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "backend/kernel.h"

// Whether numbers are finite, and making them so. Looked at are float, binary16, bfloat16, double and the complex types
// made of them (by their parts); all other types are taken to be finite. Large tensors are shared among the threads of
// the calling thread's scope.
namespace belay::backend::cpu {

// The largest magnitude among `count` elements that lie one after the other: NaN when one of them is NaN, else infinity
// when one is infinite; 0 for other types.
double largest_magnitude(DataType type, const void* data, uint64_t count);
bool all_finite(DataType type, const void* data, uint64_t count);

// The same of a tensor; what pads its blocks does not count.
double largest_magnitude(const Tensor& tensor);
bool is_finite(const Tensor& tensor);

// What saturation mode makes of a result: infinities become the largest finite number of their sign, NaN becomes 0.
// Whether there was any; padding does not count.
bool saturate(const Tensor& tensor);

}  // namespace belay::backend::cpu
