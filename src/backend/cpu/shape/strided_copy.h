// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/kernel.h"

namespace belay::backend::cpu {

// Copies elements of this many bytes to a row-major tensor of shape `dims`; `strides` say where each comes from, in
// elements (0 repeats, negative goes backwards).
Status strided_copy(const void* from, void* to, size_t element_bytes, const Shape& dims, const Shape& strides);

}  // namespace belay::backend::cpu
