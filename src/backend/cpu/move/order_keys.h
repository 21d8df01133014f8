// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "backend/cpu/element.h"
#include "backend/kernel.h"

namespace belay::backend::cpu {

// For each element a number that orders as the elements do: equal for equal elements (both zeros are), and the largest
// number for every NaN. Sorting by them needs no code for each type.
Result<std::vector<int64_t>> order_keys(const Tensor& tensor);

// The same for an element of at most 32 bits.
template <class T>
int32_t narrow_order_key(T element) {
  static_assert(sizeof(T) <= sizeof(int32_t));
  if constexpr (is_float<T>) {
    const float value = compute_t<T>(element);
    // The bits of a float are ordered as a sign and a size.
    const auto size = std::bit_cast<int32_t>(std::fabs(value)), key = std::signbit(value) ? -size : size;
    return std::isnan(value) ? std::numeric_limits<int32_t>::max() : key;
  } else if constexpr (std::is_same_v<T, uint32_t>) {
    return static_cast<int32_t>(element ^ (uint32_t{1} << 31));
  } else {
    return static_cast<int32_t>(element);
  }
}

}  // namespace belay::backend::cpu
