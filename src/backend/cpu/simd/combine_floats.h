// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace belay::backend::cpu {

// A function of two floats.
enum class Combine { Add, Subtract, Multiply, Divide, Maximum, Minimum, SquaredDifference, PRelu };

// One side of a combination: element (r, i) is at data[r * row + i * step]; step is 0 or 1.
struct Operand {
  const float* data;
  int64_t row, step;
};

// z[r * length + i] = f(x(r, i), y(r, i)). z may be an operand of the same places.
void combine_floats(Combine f, Operand x, Operand y, float* z, int64_t rows, int64_t length);

}  // namespace belay::backend::cpu
