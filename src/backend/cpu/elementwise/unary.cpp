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
constexpr auto exponential = [](const graph::Attributes& attributes) {
  const float base = get_or(attributes, "base", -1.0f);
  const float scale = get_or(attributes, "scale", 1.0f), shift = get_or(attributes, "shift", 0.0f);
  const double factor = base > 0 ? std::log(static_cast<double>(base)) : 1.0;
  return [=](auto x) {
    using X = decltype(x);
    return std::exp((x * X(scale) + X(shift)) * X(factor));
  };
};
constexpr auto logarithm = [](const graph::Attributes& attributes) {
  const float base = get_or(attributes, "base", -1.0f);
  const float scale = get_or(attributes, "scale", 1.0f), shift = get_or(attributes, "shift", 0.0f);
  const double factor = base > 0 ? std::log(static_cast<double>(base)) : 1.0;
  return [=](auto x) {
    using X = decltype(x);
    return std::log(x * X(scale) + X(shift)) / X(factor);
  };
};

// Half to even, at this many decimals.
constexpr auto rounded = [](const graph::Attributes& attributes) {
  const double factor = std::pow(10.0, static_cast<double>(get_or(attributes, "decimals", int64_t{0})));
  return [=](auto x) {
    using X = decltype(x);
    if constexpr (!std::is_floating_point_v<X>)
      return x;
    else
      return factor == 1.0 ? std::nearbyint(x) : static_cast<X>(std::nearbyint(x * factor) / factor);
  };
};

constexpr auto power = [](const graph::Attributes& attributes) {
  const float exponent = get_or(attributes, "power", 1.0f);
  const float scale = get_or(attributes, "scale", 1.0f), shift = get_or(attributes, "shift", 0.0f);
  return [=](auto x) {
    using X = decltype(x);
    const X base = x * X(scale) + X(shift);
    return exponent == 1.0f ? base : static_cast<X>(std::pow(base, X(exponent)));
  };
};

constexpr auto add_value = [](const graph::Attributes& attributes) {
  return [value = get_or(attributes, "value", 0.0f)](auto x) {
    using X = decltype(x);
    if constexpr (std::is_floating_point_v<X>)
      return x + X(value);
    else
      return convert_element<X>(static_cast<double>(x) + value);
  };
};
constexpr auto multiply_value = [](const graph::Attributes& attributes) {
  return [value = get_or(attributes, "value", 1.0f)](auto x) {
    using X = decltype(x);
    if constexpr (std::is_floating_point_v<X>)
      return x * X(value);
    else
      return convert_element<X>(static_cast<double>(x) * value);
  };
};

constexpr auto is_infinite = [](const graph::Attributes& attributes) {
  return std::pair(get_or(attributes, "detect_negative", true), get_or(attributes, "detect_positive", true));
};
MadeKernel make_is_inf(const KernelRequest& request) {
  return with_type(FloatTypes{}, request.inputs[0].type, [&]<class T>() -> MadeKernel {
    const auto [below, above] = is_infinite(request.node.attributes);
    return function_kernel([below = below, above = above](Inputs in, Outputs out) {
      return map_elements<Bool, T>(in[0], out[0], [=](auto x) { return std::isinf(x) && (x < 0 ? below : above); });
    });
  });
}

using SignedTypes = TypeList<float, double, Half, BFloat16, int8_t, int16_t, int32_t, int64_t>;

constexpr KernelRow rows[] = {
    {"Abs", "reference", unary<NumberTypes, absolute>},
    {"Acos", "reference", unary<FloatTypes, [](auto x) { return std::acos(x); }>},
    {"Acosh", "reference", unary<FloatTypes, [](auto x) { return std::acosh(x); }>},
    {"Adds", "reference", unary_with<NumberTypes, add_value>},
    {"Asin", "reference", unary<FloatTypes, [](auto x) { return std::asin(x); }>},
    {"Asinh", "reference", unary<FloatTypes, [](auto x) { return std::asinh(x); }>},
    {"Atan", "reference", unary<FloatTypes, [](auto x) { return std::atan(x); }>},
    {"Atanh", "reference", unary<FloatTypes, [](auto x) { return std::atanh(x); }>},
    {"Ceil", "reference", unary<FloatTypes, [](auto x) { return std::ceil(x); }>},
    {"Cos", "reference", unary<FloatTypes, [](auto x) { return std::cos(x); }>},
    {"Cosh", "reference", unary<FloatTypes, [](auto x) { return std::cosh(x); }>},
    {"Erf", "reference", unary<FloatTypes, [](auto x) { return std::erf(x); }>},
    {"Erfc", "reference", unary<FloatTypes, [](auto x) { return std::erfc(x); }>},
    {"Exp", "reference", unary_with<FloatTypes, exponential>},
    {"Exp2", "reference", unary<FloatTypes, [](auto x) { return std::exp2(x); }>},
    {"Expm1", "reference", unary<FloatTypes, [](auto x) { return std::expm1(x); }>},
    {"Floor", "reference", unary<FloatTypes, [](auto x) { return std::floor(x); }>},
    {"Inv", "reference", unary<FloatTypes, [](auto x) { return 1 / x; }>},
    {"Invert", "reference", unary<IntegerTypes, [](auto x) { return static_cast<decltype(x)>(~x); }>},
    {"IsFinite", "reference", test_elements<FloatTypes, [](auto x) { return std::isfinite(x); }>},
    {"IsInf", "reference", make_is_inf},
    {"IsNan", "reference", test_elements<FloatTypes, [](auto x) { return std::isnan(x); }>},
    {"Lgamma", "reference", unary<FloatTypes, [](auto x) { return std::lgamma(x); }>},
    {"Log", "reference", unary_with<FloatTypes, logarithm>},
    {"Log1p", "reference", unary<FloatTypes, [](auto x) { return std::log1p(x); }>},
    {"LogicalNot", "reference", test_elements<TypeList<Bool>, [](bool x) { return !x; }>},
    {"Muls", "reference", unary_with<NumberTypes, multiply_value>},
    {"Neg", "reference", unary<SignedTypes, negative>},
    {"Power", "reference", unary_with<FloatTypes, power>},
    {"Reciprocal", "reference", unary<FloatTypes, [](auto x) { return 1 / x; }>},
    {"Rint", "reference", unary<FloatTypes, [](auto x) { return std::nearbyint(x); }>},
    {"Round", "reference", unary_with<NumberTypes, rounded>},
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
