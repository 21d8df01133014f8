// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/cpu/arguments.h"

namespace belay::backend::cpu {

// A tensor as lanes along one dimension: element j of lane (o, i) is at (o * size + j) * inner + i.
struct Lanes {
  int64_t outer, size, inner;
};
inline Lanes lanes_of(const Shape& shape, size_t axis) {
  return {product(shape, 0, axis), shape[axis], product(shape, axis + 1, shape.size())};
}

}  // namespace belay::backend::cpu
