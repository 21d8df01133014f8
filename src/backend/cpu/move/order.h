// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "backend/cpu/arguments.h"

namespace belay::backend::cpu {

// Whether a comes strictly before b, the order being upwards; a NaN is larger than everything and equal to any NaN.
template <class C>
bool before(C a, C b) {
  if constexpr (std::is_floating_point_v<C>) {
    if (a != a || b != b) return a == a && b != b;
  }
  return a < b;
}

// A tensor as lanes along one dimension: element j of lane (o, i) is at (o * size + j) * inner + i.
struct Lanes {
  int64_t outer, size, inner;
};
inline Lanes lanes_of(const Shape& shape, size_t axis) {
  return {product(shape, 0, axis), shape[axis], product(shape, axis + 1, shape.size())};
}

}  // namespace belay::backend::cpu
