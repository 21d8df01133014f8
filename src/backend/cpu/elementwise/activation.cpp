// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/elementwise/activation.h"

#include <cmath>

#include "backend/cpu/elementwise/unary.h"
#include "backend/cpu/function_kernel.h"
#include "backend/cpu/rows.h"

namespace belay::backend::cpu {

namespace {

using graph::Attributes;

constexpr auto relu = [](auto x) { return x < decltype(x)(0) ? decltype(x)(0) : x; };
constexpr auto relu6 = [](auto x) { return limited(x, decltype(x)(0), decltype(x)(6)); };
constexpr auto hard_swish = [](auto x) { return x * (relu6(x + 3) / 6); };
constexpr auto fast_gelu = [](auto x) { return x * sigmoid(decltype(x)(1.702) * x); };
constexpr auto mish = [](auto x) { return x * std::tanh(softplus(x)); };
constexpr auto selu = [](auto x) {
  using X = decltype(x);
  constexpr double scale = 1.0507009873554804934193349852946, alpha = 1.6732632423543772848170429916717;
  return x < X(0) ? X(scale * alpha) * std::expm1(x) : X(scale) * x;
};

constexpr auto read_slope = [](const Attributes& a) { return Parameters{get_or(a, "negative_slope", 0.0f)}; };
constexpr auto leaky_relu = [](auto x, const Parameters& p) {
  return x < 0 ? static_cast<decltype(x)>(x * static_cast<decltype(x)>(p[0])) : x;
};

constexpr auto read_elu = [](const Attributes& a) {
  return Parameters{get_or(a, "alpha", 1.0f), get_or(a, "scale", 1.0f), get_or(a, "input_scale", 1.0f)};
};
constexpr auto elu = [](auto x, const Parameters& p) {
  using X = decltype(x);
  return X(p[1]) * (x < 0 ? X(p[0]) * std::expm1(x * X(p[2])) : x);
};

constexpr auto read_celu = [](const Attributes& a) {
  return Parameters{get_or(a, "alpha1", 1.0f), get_or(a, "alpha2", 1.0f), get_or(a, "alpha3", 1.0f)};
};
constexpr auto read_celu_v2 = [](const Attributes& a) {
  const double alpha = get_or(a, "alpha", 1.0f);
  return Parameters{alpha, alpha, 1};
};
constexpr auto celu = [](auto x, const Parameters& p) {
  using X = decltype(x);
  return x < 0 ? X(p[0]) * std::expm1(x / X(p[1])) : X(p[2]) * x;
};

constexpr auto read_hard_sigmoid = [](const Attributes& a) {
  return Parameters{get_or(a, "alpha", 0.16666666f), get_or(a, "beta", 0.5f)};
};
constexpr auto hard_sigmoid = [](auto x, const Parameters& p) {
  using X = decltype(x);
  return limited(X(p[0]) * x + X(p[1]), X(0), X(1));
};

constexpr auto read_scale = [](const Attributes& a) { return Parameters{get_or(a, "scale", 1.0f)}; };
constexpr auto swish = [](auto x, const Parameters& p) { return x * sigmoid(x * static_cast<decltype(x)>(p[0])); };

constexpr auto read_form = [](const Attributes& a) {
  return Parameters{get_or(a, "approximate", std::string("none")) == "tanh" ? 1.0 : 0.0};
};
constexpr auto gelu_v2 = [](auto x, const Parameters& p) { return p[0] != 0 ? tanh_gelu(x) : gelu(x); };

constexpr auto read_shrink = [](const Attributes& a) {
  return Parameters{get_or(a, "lambd", 0.5f), get_or(a, "bias", 0.0f)};
};
constexpr auto shrink = [](auto x, const Parameters& p) {
  return static_cast<decltype(x)>(x < -p[0] ? x + p[1] : x > p[0] ? x - p[1] : 0);
};
constexpr auto hard_shrink = [](auto x, const Parameters& p) { return x >= -p[0] && x <= p[0] ? decltype(x)(0) : x; };
constexpr auto soft_shrink = [](auto x, const Parameters& p) {
  using X = decltype(x);
  return x < -p[0] ? x + X(p[0]) : x > p[0] ? x - X(p[0]) : X(0);
};

constexpr auto read_threshold = [](const Attributes& a) { return Parameters{get_or(a, "threshold", 0.0f)}; };
constexpr auto above = [](auto x, const Parameters& p) { return decltype(x)(x > p[0] ? 1 : 0); };
constexpr auto above_or_value = [](auto x, const Parameters& p) {
  return x > p[0] ? x : static_cast<decltype(x)>(p[1]);
};
constexpr auto read_alpha = [](const Attributes& a) { return Parameters{get_or(a, "alpha", 1.0f), 0}; };

// x where it is above the threshold, else the value; both are inputs, and the value is 0 where it is left out.
MadeKernel make_threshold_v2(const KernelRequest& request) {
  for (const auto& input : request.inputs.subspan(1))
    if (input.present && (input.type != request.inputs[0].type || graph::element_count(input.shape) != 1))
      return refuse("threshold and value must be single numbers of x's type");
  return with_type(NumberTypes{}, request.inputs[0].type, []<class T>() -> MadeKernel {
    return function_kernel([](Inputs in, Outputs out) -> Status {
      const compute_t<T> threshold = in[1].as<T>()[0];
      const T value = in.size() > 2 && in[2].present ? in[2].as<T>()[0] : T(compute_t<T>(0));
      const T* x = in[0].as<T>();
      for (int64_t i = 0, count = in[0].count(); i < count; ++i) out[0].as<T>()[i] = compute_t<T>(x[i]) > threshold ? x[i] : value;
      return {};
    });
  });
}

constexpr auto read_hardtanh = [](const Attributes& a) {
  return Parameters{get_or(a, "min_val", -1.0f), get_or(a, "max_val", 1.0f)};
};
constexpr auto hardtanh = [](auto x, const Parameters& p) {
  using X = decltype(x);
  return limited(x, X(p[0]), X(p[1]));
};

constexpr auto read_softplus = [](const Attributes& a) {
  return Parameters{get_or(a, "beta", 1.0f), get_or(a, "threshold", 20.0f)};
};
constexpr auto softplus_v2 = [](auto x, const Parameters& p) {
  using X = decltype(x);
  return x * X(p[0]) > X(p[1]) ? x : softplus(x * X(p[0])) / X(p[0]);
};

constexpr KernelRow rows[] = {
    {"Celu", "reference", unary_with<FloatTypes, celu, read_celu>},
    {"CeluV2", "reference", unary_with<FloatTypes, celu, read_celu_v2>},
    {"Elu", "reference", unary_with<FloatTypes, elu, read_elu>},
    {"FastGelu", "reference", unary<FloatTypes, fast_gelu>},
    {"Gelu", "reference", unary<FloatTypes, [](auto x) { return gelu(x); }>},
    {"GeluV2", "reference", unary_with<FloatTypes, gelu_v2, read_form>},
    {"HardShrink", "reference", unary_with<FloatTypes, hard_shrink, read_shrink>},
    {"HardSigmoid", "reference", unary_with<FloatTypes, hard_sigmoid, read_hard_sigmoid>},
    {"HardSwish", "reference", unary<FloatTypes, hard_swish>},
    {"HardtanhV2", "reference", unary_with<FloatTypes, hardtanh, read_hardtanh>},
    {"LeakyRelu", "reference", unary_with<FloatTypes, leaky_relu, read_slope>},
    {"LogSigmoid", "reference", unary<FloatTypes, [](auto x) { return -softplus(-x); }>},
    {"Mish", "reference", unary<FloatTypes, mish>},
    {"Relu", "reference", unary<NumberTypes, relu>},
    {"Relu6", "reference", unary<NumberTypes, relu6>},
    {"Selu", "reference", unary<FloatTypes, selu>},
    {"Shrink", "reference", unary_with<NumberTypes, shrink, read_shrink>},
    {"Sigmoid", "reference", unary<FloatTypes, [](auto x) { return sigmoid(x); }>},
    {"SoftShrink", "reference", unary_with<FloatTypes, soft_shrink, read_shrink>},
    {"Softplus", "reference", unary<FloatTypes, [](auto x) { return softplus(x); }>},
    {"SoftplusV2", "reference", unary_with<FloatTypes, softplus_v2, read_softplus>},
    {"Softsign", "reference", unary<FloatTypes, [](auto x) { return x / (1 + std::fabs(x)); }>},
    {"Swish", "reference", unary_with<FloatTypes, swish, read_scale>},
    {"Threshold", "reference", unary_with<NumberTypes, above, read_threshold>},
    {"ThresholdV2", "reference", make_threshold_v2},
    {"ThresholdedRelu", "reference", unary_with<FloatTypes, above_or_value, read_alpha>},
};

}  // namespace

std::span<const KernelRow> activation_rows() { return rows; }

}  // namespace belay::backend::cpu
