// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "backend/cpu/elementwise/activation.h"
#include "backend/cpu/elementwise/unary.h"
#include "backend/cpu/rows.h"

namespace belay::backend::cpu {

namespace {

using graph::Attributes;

constexpr auto relu6 = [](auto x) {
  using X = decltype(x);
  return x < X(0) ? X(0) : x > X(6) ? X(6) : x;
};

constexpr auto leaky_relu = [](const Attributes& attributes) {
  return [slope = get_or(attributes, "negative_slope", 0.0f)](auto x) {
    using X = decltype(x);
    return x < X(0) ? static_cast<X>(x * slope) : x;
  };
};

constexpr auto elu = [](const Attributes& attributes) {
  const float alpha = get_or(attributes, "alpha", 1.0f), scale = get_or(attributes, "scale", 1.0f);
  const float input_scale = get_or(attributes, "input_scale", 1.0f);
  return [=](auto x) {
    using X = decltype(x);
    return X(scale) * (x < X(0) ? X(alpha) * std::expm1(x * X(input_scale)) : x);
  };
};

constexpr auto celu = [](const Attributes& attributes) {
  const float alpha1 = get_or(attributes, "alpha1", 1.0f), alpha2 = get_or(attributes, "alpha2", 1.0f);
  const float alpha3 = get_or(attributes, "alpha3", 1.0f);
  return [=](auto x) {
    using X = decltype(x);
    return x < X(0) ? X(alpha1) * std::expm1(x / X(alpha2)) : X(alpha3) * x;
  };
};

constexpr auto celu_v2 = [](const Attributes& attributes) {
  return [alpha = get_or(attributes, "alpha", 1.0f)](auto x) {
    using X = decltype(x);
    return x < X(0) ? X(alpha) * std::expm1(x / X(alpha)) : x;
  };
};

constexpr auto hard_sigmoid = [](const Attributes& attributes) {
  const float alpha = get_or(attributes, "alpha", 0.16666666f), beta = get_or(attributes, "beta", 0.5f);
  return [=](auto x) { return limited(alpha * x + beta, decltype(x)(0), decltype(x)(1)); };
};

constexpr auto swish = [](const Attributes& attributes) {
  return [scale = get_or(attributes, "scale", 1.0f)](auto x) { return x * sigmoid(x * decltype(x)(scale)); };
};

constexpr auto gelu_v2 = [](const Attributes& attributes) {
  return [tanh_form = get_or(attributes, "approximate", std::string("none")) == "tanh"](auto x) {
    return tanh_form ? tanh_gelu(x) : gelu(x);
  };
};

constexpr auto shrink = [](const Attributes& attributes) {
  const float lambd = get_or(attributes, "lambd", 0.5f), bias = get_or(attributes, "bias", 0.0f);
  return [=](auto x) {
    using X = decltype(x);
    return static_cast<X>(x < -lambd ? x + bias : x > lambd ? x - bias : 0);
  };
};
constexpr auto hard_shrink = [](const Attributes& attributes) {
  return [lambd = get_or(attributes, "lambd", 0.5f)](auto x) {
    using X = decltype(x);
    return x >= X(-lambd) && x <= X(lambd) ? X(0) : x;
  };
};
constexpr auto soft_shrink = [](const Attributes& attributes) {
  return [lambd = get_or(attributes, "lambd", 0.5f)](auto x) {
    using X = decltype(x);
    return x < X(-lambd) ? x + X(lambd) : x > X(lambd) ? x - X(lambd) : X(0);
  };
};

// 1 above the threshold, else 0.
constexpr auto threshold = [](const Attributes& attributes) {
  return [limit = get_or(attributes, "threshold", 1.0f)](auto x) {
    using X = decltype(x);
    return x > X(limit) ? X(1) : X(0);
  };
};
constexpr auto threshold_v2 = [](const Attributes& attributes) {
  const float limit = get_or(attributes, "threshold", 0.0f), value = get_or(attributes, "value", 0.0f);
  return [=](auto x) {
    using X = decltype(x);
    return x > X(limit) ? x : X(value);
  };
};

constexpr auto hardtanh = [](const Attributes& attributes) {
  const float low = get_or(attributes, "min_val", -1.0f), high = get_or(attributes, "max_val", 1.0f);
  return [=](auto x) { return limited(x, decltype(x)(low), decltype(x)(high)); };
};

constexpr auto selu = [](auto x) {
  using X = decltype(x);
  constexpr double scale = 1.0507009873554804934193349852946, alpha = 1.6732632423543772848170429916717;
  return x < X(0) ? X(scale * alpha) * std::expm1(x) : X(scale) * x;
};

constexpr KernelRow rows[] = {
    {"Celu", "reference", unary_with<FloatTypes, celu>},
    {"CeluV2", "reference", unary_with<FloatTypes, celu_v2>},
    {"Elu", "reference", unary_with<FloatTypes, elu>},
    {"FastGelu", "reference", unary<FloatTypes, [](auto x) { return x * sigmoid(decltype(x)(1.702) * x); }>},
    {"Gelu", "reference", unary<FloatTypes, [](auto x) { return gelu(x); }>},
    {"GeluV2", "reference", unary_with<FloatTypes, gelu_v2>},
    {"HardShrink", "reference", unary_with<FloatTypes, hard_shrink>},
    {"HardSigmoid", "reference", unary_with<FloatTypes, hard_sigmoid>},
    {"HardSwish", "reference", unary<FloatTypes, [](auto x) { return x * relu6(x + 3) / 6; }>},
    {"HardtanhV2", "reference", unary_with<FloatTypes, hardtanh>},
    {"LeakyRelu", "reference", unary_with<FloatTypes, leaky_relu>},
    {"LogSigmoid", "reference", unary<FloatTypes, [](auto x) { return -softplus(-x); }>},
    {"Mish", "reference", unary<FloatTypes, [](auto x) { return x * std::tanh(softplus(x)); }>},
    {"Relu", "reference", unary<NumberTypes, [](auto x) { return x < decltype(x)(0) ? decltype(x)(0) : x; }>},
    {"Relu6", "reference", unary<NumberTypes, relu6>},
    {"Selu", "reference", unary<FloatTypes, selu>},
    {"Shrink", "reference", unary_with<NumberTypes, shrink>},
    {"Sigmoid", "reference", unary<FloatTypes, [](auto x) { return sigmoid(x); }>},
    {"SoftShrink", "reference", unary_with<FloatTypes, soft_shrink>},
    {"Softplus", "reference", unary<FloatTypes, [](auto x) { return softplus(x); }>},
    {"Softsign", "reference", unary<FloatTypes, [](auto x) { return x / (1 + std::fabs(x)); }>},
    {"Swish", "reference", unary_with<FloatTypes, swish>},
    {"Threshold", "reference", unary_with<NumberTypes, threshold>},
    {"ThresholdV2", "reference", unary_with<NumberTypes, threshold_v2>},
};

}  // namespace

std::span<const KernelRow> activation_rows() { return rows; }

}  // namespace belay::backend::cpu
