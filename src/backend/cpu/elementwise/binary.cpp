// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/elementwise/binary.h"

#include <cmath>

#include "backend/cpu/elementwise/integer.h"
#include "backend/cpu/rows.h"

namespace belay::backend::cpu {

namespace {

template <class X>
constexpr bool real = std::is_floating_point_v<X>;

constexpr auto add = [](auto x, auto y) {
  if constexpr (real<decltype(x)>)
    return x + y;
  else
    return wrapping_add(x, y);
};
constexpr auto subtract = [](auto x, auto y) {
  if constexpr (real<decltype(x)>)
    return x - y;
  else
    return wrapping_subtract(x, y);
};
constexpr auto multiply = [](auto x, auto y) {
  if constexpr (real<decltype(x)>)
    return x * y;
  else
    return wrapping_multiply(x, y);
};
constexpr auto divide = [](auto x, auto y) {
  if constexpr (real<decltype(x)>)
    return x / y;
  else
    return safe_divide(x, y);
};
constexpr auto truncate_divide = [](auto x, auto y) {
  if constexpr (real<decltype(x)>)
    return std::trunc(x / y);
  else
    return safe_divide(x, y);
};
constexpr auto divide_no_nan = [](auto x, auto y) { return y == decltype(y)(0) ? decltype(x)(0) : divide(x, y); };
constexpr auto remainder_of = [](auto x, auto y) {
  if constexpr (real<decltype(x)>)
    return std::fmod(x, y);
  else
    return safe_remainder(x, y);
};
constexpr auto floor_divide = [](auto x, auto y) {
  using X = decltype(x);
  if constexpr (real<X>) {
    return std::floor(x / y);
  } else {
    const X quotient = safe_divide(x, y), rest = safe_remainder(x, y);
    return static_cast<X>(rest != 0 && (rest < 0) != (y < 0) ? quotient - 1 : quotient);
  }
};
// With the sign of the divisor.
constexpr auto floor_remainder = [](auto x, auto y) {
  using X = decltype(x);
  const X rest = remainder_of(x, y);
  return static_cast<X>(rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest);
};
constexpr auto power = [](auto x, auto y) {
  if constexpr (real<decltype(x)>)
    return std::pow(x, y);
  else
    return integer_power(x, y);
};

// A NaN on either side is the result.
constexpr auto larger = [](auto x, auto y) { return x != x ? x : x < y || y != y ? y : x; };
constexpr auto smaller = [](auto x, auto y) { return x != x ? x : y < x || y != y ? y : x; };

constexpr auto squared_difference = [](auto x, auto y) {
  const auto difference = subtract(x, y);
  return multiply(difference, difference);
};
constexpr auto xlogy = [](auto x, auto y) { return x == 0 ? decltype(x)(0) : x * std::log(y); };
constexpr auto xdivy = [](auto x, auto y) { return x == 0 ? decltype(x)(0) : x / y; };

// Shifts by the width of the type and more push every bit out.
constexpr auto left_shift = [](auto x, auto y) {
  using U = std::make_unsigned_t<decltype(x)>;
  const U by = static_cast<U>(y);
  return static_cast<decltype(x)>(by >= sizeof(x) * 8 ? U(0) : static_cast<U>(static_cast<uint64_t>(U(x)) << by));
};
constexpr auto right_shift = [](auto x, auto y) {
  using X = decltype(x);
  const auto by = static_cast<std::make_unsigned_t<X>>(y);
  if (by >= sizeof(x) * 8) return static_cast<X>(x < 0 ? -1 : 0);
  return static_cast<X>(x >> by);
};

constexpr auto bitwise_and = [](auto x, auto y) { return static_cast<decltype(x)>(x & y); };
constexpr auto bitwise_or = [](auto x, auto y) { return static_cast<decltype(x)>(x | y); };
constexpr auto bitwise_xor = [](auto x, auto y) { return static_cast<decltype(x)>(x ^ y); };
using BitTypes = TypeList<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, Bool>;

constexpr KernelRow rows[] = {
    {"Add", "reference", binary<NumberTypes, add>},
    {"AddV2", "reference", binary<NumberTypes, add>},
    {"Atan2", "reference", binary<FloatTypes, [](auto x, auto y) { return std::atan2(x, y); }>},
    {"BitwiseAnd", "reference", binary<BitTypes, bitwise_and>},
    {"BitwiseOr", "reference", binary<BitTypes, bitwise_or>},
    {"BitwiseXor", "reference", binary<BitTypes, bitwise_xor>},
    {"Div", "reference", binary<NumberTypes, divide>},
    {"DivNoNan", "reference", binary<NumberTypes, divide_no_nan>},
    {"FloorDiv", "reference", binary<NumberTypes, floor_divide>},
    {"FloorMod", "reference", binary<NumberTypes, floor_remainder>},
    {"LeftShift", "reference", binary<IntegerTypes, left_shift>},
    {"Maximum", "reference", binary<NumberTypes, larger>},
    {"Minimum", "reference", binary<NumberTypes, smaller>},
    {"Mod", "reference", binary<NumberTypes, remainder_of>},
    {"Mul", "reference", binary<NumberTypes, multiply>},
    {"MulNoNan", "reference",
     binary<NumberTypes, [](auto x, auto y) { return y == decltype(y)(0) ? y : multiply(x, y); }>},
    {"Pow", "reference", binary<NumberTypes, power>},
    {"RealDiv", "reference", binary<NumberTypes, divide>},
    {"RightShift", "reference", binary<IntegerTypes, right_shift>},
    {"SquaredDifference", "reference", binary<NumberTypes, squared_difference>},
    {"Sub", "reference", binary<NumberTypes, subtract>},
    {"TruncateDiv", "reference", binary<NumberTypes, truncate_divide>},
    {"TruncateMod", "reference", binary<NumberTypes, remainder_of>},
    {"Xdivy", "reference", binary<FloatTypes, xdivy>},
    {"Xlogy", "reference", binary<FloatTypes, xlogy>},
};

}  // namespace

std::span<const KernelRow> binary_rows() { return rows; }

}  // namespace belay::backend::cpu
