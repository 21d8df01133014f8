// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "hccl/hccl_types.h"

namespace belay::comm {

// Bytes of one element; 0 for a number that is no type.
size_t element_size(HcclDataType type);

// As messages show them: "fp32", "sum"; a number that is none gives "no data type".
const char* name_of(HcclDataType type);
const char* name_of(HcclReduceOp op);

// Whether an A2 moves such elements, and whether it reduces them so.
bool movable(HcclDataType type);
bool reducible(HcclDataType type);
bool reducible(HcclDataType type, HcclReduceOp op);

}  // namespace belay::comm
