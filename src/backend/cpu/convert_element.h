// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>

#include "backend/cpu/element.h"

namespace belay::backend::cpu {

// The value of an element in another type. A float becomes an integer towards zero, limited to the integer's range, and
// 0 when it is a NaN; integers that are too large wrap around; anything but 0 is a true Bool; a float too large for a
// narrower one becomes infinity. What is rounded is rounded once.
template <class To, class From>
To convert_element(From from) {
  const compute_t<From> value = from;
  if constexpr (std::is_same_v<To, Bool>) {
    return Bool(value != compute_t<From>(0));
  } else if constexpr (is_integer<To> && is_float<From>) {
    if (std::isnan(value)) return 0;
    constexpr double low = static_cast<double>(std::numeric_limits<To>::min());
    constexpr double high = static_cast<double>(std::numeric_limits<To>::max());
    const double wide = value;
    if (wide <= low) return std::numeric_limits<To>::min();
    // For 64 bits `high` is the power of two above the largest value.
    if (wide >= high) return std::numeric_limits<To>::max();
    return static_cast<To>(wide);
  } else if constexpr (is_narrow_float<To>) {
    return To(halfway_float(value));
  } else {
    return static_cast<To>(value);
  }
}

}  // namespace belay::backend::cpu
