// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "acl/acl_base.h"

namespace belay {

enum class Reduction : uint8_t { Sum, Max, Min, Equal };

// Bytes of one element; 0 for types that are not reduced.
size_t reduced_element_size(aclDataType type);

// dst[i] = dst[i] op src[i] over `bytes` of whole elements. Half types are computed in float and rounded once; integer
// sums wrap; Max and Min of a NaN are NaN; Equal gives 1 or 0. Ranges may be the same, not partly overlap.
void reduce(void* dst, const void* src, size_t bytes, Reduction op, aclDataType type);

}  // namespace belay
