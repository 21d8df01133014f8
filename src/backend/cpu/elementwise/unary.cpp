// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/elementwise/unary.h"

#include <cmath>

#include "backend/cpu/convert_element.h"
#include "backend/cpu/elementwise/integer.h"
#include "backend/cpu/rows.h"

namespace belay::backend::cpu {

namespace {

// Of a NaN, the NaN; of zero, zero.
constexpr auto sign = [](auto x) {
  using X = decltype(x);
  if constexpr (std::is_floating_point_v<X>)
    if (std::isnan(x)) return x;
  return static_cast<X>((x > X(0)) - (x < X(0)));
};

constexpr auto absolute = [](auto x) {
  if constexpr (std::is_floating_point_v<decltype(x)>)
    return std::fabs(x);
  else
    return x < decltype(x)(0) ? wrapping_subtract(decltype(x)(0), x) : x;
};

constexpr auto negative = [](auto x) {
  if constexpr (std::is_floating_point_v<decltype(x)>)
    return -x;
  else
    return wrapping_subtract(decltype(x)(0), x);
};

constexpr auto square = [](auto x) {
  if constexpr (std::is_floating_point_v<decltype(x)>)
    return x * x;
  else
    return wrapping_multiply(x, x);
};

// Exp and Log with their base, scale and shift: base^(scale*x + shift), log_base(scale*x + shift).
constexpr auto read_base = [](const graph::Attributes& attributes) {
  const float base = get_or(attributes, "base", -1.0f);
  return Parameters{get_or(attributes, "scale", 1.0f), get_or(attributes, "shift", 0.0f),
                    base > 0 ? std::log(static_cast<double>(base)) : 1.0};
};
constexpr auto exponential = [](auto x, const Parameters& p) {
  using X = decltype(x);
  return std::exp((x * X(p[0]) + X(p[1])) * X(p[2]));
};
constexpr auto logarithm = [](auto x, const Parameters& p) {
  using X = decltype(x);
  return std::log(x * X(p[0]) + X(p[1])) / X(p[2]);
};

// Half to even, at this many decimals.
constexpr auto read_decimals = [](const graph::Attributes& attributes) {
  return Parameters{std::pow(10.0, static_cast<double>(get_or(attributes, "decimals", int64_t{0})))};
};
constexpr auto rounded = [](auto x, const Parameters& p) {
  using X = decltype(x);
  if constexpr (!std::is_floating_point_v<X>)
    return x;
  else
    return p[0] == 1.0 ? std::nearbyint(x) : static_cast<X>(std::nearbyint(x * p[0]) / p[0]);
};

constexpr auto read_power = [](const graph::Attributes& attributes) {
  return Parameters{get_or(attributes, "power", 1.0f), get_or(attributes, "scale", 1.0f),
                    get_or(attributes, "shift", 0.0f)};
};
constexpr auto power = [](auto x, const Parameters& p) {
  using X = decltype(x);
  const X base = x * X(p[1]) + X(p[2]);
  return p[0] == 1.0 ? base : static_cast<X>(std::pow(base, X(p[0])));
};

constexpr auto read_value = [](const graph::Attributes& attributes) {
  return Parameters{get_or(attributes, "value", 0.0f)};
};
constexpr auto add_value = [](auto x, const Parameters& p) {
  using X = decltype(x);
  if constexpr (std::is_floating_point_v<X>)
    return x + X(p[0]);
  else
    return convert_element<X>(static_cast<double>(x) + p[0]);
};
constexpr auto multiply_value = [](auto x, const Parameters& p) {
  using X = decltype(x);
  if constexpr (std::is_floating_point_v<X>)
    return x * X(p[0]);
  else
    return convert_element<X>(static_cast<double>(x) * p[0]);
};

// Which infinities count, negative and positive.
constexpr auto is_infinite = [](auto x, const Parameters& p) { return std::isinf(x) && p[x < 0 ? 0 : 1] != 0; };
MadeKernel make_is_inf(const KernelRequest& request) {
  const graph::Attributes& attributes = request.node.attributes;
  static constexpr auto table =
      loop_table<UnaryLoop>(FloatTypes{}, []<class T>() -> UnaryLoop { return unary_loop<Bool, T, is_infinite>; });
  return unary_kernel(request, find_loop(table, request.inputs[0].type),
                      {get_or(attributes, "detect_negative", true) ? 1.0 : 0.0,
                       get_or(attributes, "detect_positive", true) ? 1.0 : 0.0});
}

using SignedTypes = TypeList<float, double, Half, BFloat16, int8_t, int16_t, int32_t, int64_t>;

constexpr KernelRow rows[] = {
    {"Abs", "reference", unary<NumberTypes, absolute>},
    {"Acos", "reference", unary<FloatTypes, [](auto x) { return std::acos(x); }>},
    {"Acosh", "reference", unary<FloatTypes, [](auto x) { return std::acosh(x); }>},
    {"Adds", "reference", unary_with<NumberTypes, add_value, read_value>},
    {"Asin", "reference", unary<FloatTypes, [](auto x) { return std::asin(x); }>},
    {"Asinh", "reference", unary<FloatTypes, [](auto x) { return std::asinh(x); }>},
    {"Atan", "reference", unary<FloatTypes, [](auto x) { return std::atan(x); }>},
    {"Atanh", "reference", unary<FloatTypes, [](auto x) { return std::atanh(x); }>},
    {"Ceil", "reference", unary<FloatTypes, [](auto x) { return std::ceil(x); }>},
    {"Cos", "reference", unary<FloatTypes, [](auto x) { return std::cos(x); }>},
    {"Cosh", "reference", unary<FloatTypes, [](auto x) { return std::cosh(x); }>},
    {"Erf", "reference", unary<FloatTypes, [](auto x) { return std::erf(x); }>},
    {"Erfc", "reference", unary<FloatTypes, [](auto x) { return std::erfc(x); }>},
    {"Exp", "reference", unary_with<FloatTypes, exponential, read_base>},
    {"Exp2", "reference", unary<FloatTypes, [](auto x) { return std::exp2(x); }>},
    {"Expm1", "reference", unary<FloatTypes, [](auto x) { return std::expm1(x); }>},
    {"Floor", "reference", unary<FloatTypes, [](auto x) { return std::floor(x); }>},
    {"Inv", "reference", unary<FloatTypes, [](auto x) { return 1 / x; }>},
    {"Invert", "reference", unary<IntegerTypes, [](auto x) { return static_cast<decltype(x)>(~x); }>},
    {"IsFinite", "reference", test_elements<FloatTypes, [](auto x) { return std::isfinite(x); }>},
    {"IsInf", "reference", make_is_inf},
    {"IsNan", "reference", test_elements<FloatTypes, [](auto x) { return std::isnan(x); }>},
    {"Lgamma", "reference", unary<FloatTypes, [](auto x) { return std::lgamma(x); }>},
    {"Log", "reference", unary_with<FloatTypes, logarithm, read_base>},
    {"Log1p", "reference", unary<FloatTypes, [](auto x) { return std::log1p(x); }>},
    {"LogicalNot", "reference", test_elements<TypeList<Bool>, [](bool x) { return !x; }>},
    {"Muls", "reference", unary_with<NumberTypes, multiply_value, read_value>},
    {"Neg", "reference", unary<SignedTypes, negative>},
    {"Power", "reference", unary_with<FloatTypes, power, read_power>},
    {"Reciprocal", "reference", unary<FloatTypes, [](auto x) { return 1 / x; }>},
    {"Rint", "reference", unary<FloatTypes, [](auto x) { return std::nearbyint(x); }>},
    {"Round", "reference", unary_with<NumberTypes, rounded, read_decimals>},
    {"Rsqrt", "reference", unary<FloatTypes, [](auto x) { return 1 / std::sqrt(x); }>},
    {"Sign", "reference", unary<NumberTypes, sign>},
    {"Sin", "reference", unary<FloatTypes, [](auto x) { return std::sin(x); }>},
    {"Sinh", "reference", unary<FloatTypes, [](auto x) { return std::sinh(x); }>},
    {"Sqrt", "reference", unary<FloatTypes, [](auto x) { return std::sqrt(x); }>},
    {"Square", "reference", unary<NumberTypes, square>},
    {"Tan", "reference", unary<FloatTypes, [](auto x) { return std::tan(x); }>},
    {"Tanh", "reference", unary<FloatTypes, [](auto x) { return std::tanh(x); }>},
    {"Trunc", "reference", unary<FloatTypes, [](auto x) { return std::trunc(x); }>},
};

}  // namespace

std::span<const KernelRow> unary_rows() { return rows; }

}  // namespace belay::backend::cpu
