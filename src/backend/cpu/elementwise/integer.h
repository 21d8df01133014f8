// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <type_traits>

// Integer arithmetic that is defined for all operands: results wrap around, a division by zero gives zero.
namespace belay::backend::cpu {

template <class T>
T wrapping_add(T a, T b) {
  T sum;
  __builtin_add_overflow(a, b, &sum);
  return sum;
}
template <class T>
T wrapping_subtract(T a, T b) {
  T difference;
  __builtin_sub_overflow(a, b, &difference);
  return difference;
}
template <class T>
T wrapping_multiply(T a, T b) {
  T product;
  __builtin_mul_overflow(a, b, &product);
  return product;
}

// Of numbers of any type.
template <class T>
T sum_of(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return wrapping_add(a, b);
  else
    return a + b;
}
template <class T>
T product_of(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return wrapping_multiply(a, b);
  else
    return a * b;
}

// Towards zero.
template <class T>
T safe_divide(T a, T b) {
  if (b == 0) return 0;
  if constexpr (std::is_signed_v<T>)
    if (b == T(-1)) return wrapping_subtract(T(0), a);
  return static_cast<T>(a / b);
}

// With the sign of the dividend.
template <class T>
T safe_remainder(T a, T b) {
  if (b == 0) return 0;
  if constexpr (std::is_signed_v<T>)
    if (b == T(-1)) return 0;
  return static_cast<T>(a % b);
}

// Of a negative exponent: 0, but for the bases 1 and -1.
template <class T>
T integer_power(T base, T exponent) {
  if constexpr (std::is_signed_v<T>) {
    if (exponent < 0) {
      if (base == 1) return 1;
      if (base == T(-1)) return exponent % 2 == 0 ? 1 : T(-1);
      return 0;
    }
  }
  T result = 1;
  for (; exponent > 0; exponent = static_cast<T>(exponent / 2)) {
    if (exponent % 2 != 0) result = wrapping_multiply(result, base);
    base = wrapping_multiply(base, base);
  }
  return result;
}

}  // namespace belay::backend::cpu
