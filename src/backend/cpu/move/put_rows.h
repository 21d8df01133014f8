// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backend/kernel.h"

namespace belay::backend::cpu {

// What an element becomes when another is put at its place.
enum class Put { Replace, Add, Sub, Mul, Max, Min };

// Row i of the updates meets row targets[i] of y, in order; a row is `inner` elements. Elements of 16 bits that meet in
// one place meet in float, and are rounded once. Updates of floats are multiplied by the factor first, unless they
// replace.
Status put_rows(Put how, DataType type, const std::vector<int64_t>& targets, int64_t inner, const Tensor& updates,
                Tensor& y, float factor = 1);

// Starts the result as a copy of the tensor that is written into, unless it is its memory.
void begin_with(const Tensor& x, Tensor& y);

}  // namespace belay::backend::cpu
