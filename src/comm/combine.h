// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "hccl/hccl_types.h"

namespace belay::comm {

// out[i] = a[i] op b[i] for `count` elements of a reducible type. `out` may be `a` or `b`. fp16 and bfp16 are computed
// in float and rounded each time; integers wrap; max and min of a NaN are NaN.
void combine(void* out, const void* a, const void* b, size_t count, HcclDataType type, HcclReduceOp op);

}  // namespace belay::comm
