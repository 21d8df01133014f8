// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend/kernel.h"

namespace belay::backend::cpu {

// Whether elements of this type can be loaded as floats and stored from them: Float, Float16, BFloat16.
bool is_float_storage(DataType type);

// `count` elements of a float storage type as floats; and back, rounded to nearest, ties to even. Of another type
// nothing is touched and std::invalid_argument thrown: kernels refuse such tensors when they are made.
void load_floats(DataType type, const void* from, float* to, size_t count);
void store_floats(DataType type, const float* from, void* to, size_t count);

// Towards zero, limited to the range; 0 for a NaN.
void floats_to_int32(const float* from, int32_t* to, size_t count);
void int32_to_floats(const int32_t* from, float* to, size_t count);

// The bytes of an element of a float storage type.
inline size_t float_storage_bytes(DataType type) { return type == DataType::Float ? 4 : 2; }

}  // namespace belay::backend::cpu
