// SPDX-License-Identifier: Apache-2.0
#include "exact/models/functions.h"

#include <algorithm>
#include <cmath>

namespace belay::exact {
namespace {

using graph::get_or;
using graph::Node;

double none(const double*, double, const Node&) { return 0; }
template <int n>
double times(const double*, double y, const Node&) {
  return n * std::fabs(y);
}
// The function is computed by way of numbers near 1, whose roundings stay when they cancel.
template <int n>
double around_one(const double*, double y, const Node&) {
  return n * std::fabs(y) + 1;
}
// An argument x times a constant, in an exponent.
double exponent(const double* x, double y, const Node&) { return (4 + 2 * std::fabs(x[0])) * std::fabs(y); }
double exponential(const double* x, double y, const Node& node) {
  const float scale = get_or(node.attributes, "scale", 1.0f), shift = get_or(node.attributes, "shift", 0.0f);
  const float base = get_or(node.attributes, "base", -1.0f);
  if (scale == 1 && shift == 0 && base <= 0) return 4 * std::fabs(y);
  const double factor = base > 0 ? std::fabs(std::log(static_cast<double>(base))) : 1;
  return (4 + 3 * factor * (std::fabs(x[0] * scale) + std::fabs(shift))) * std::fabs(y);
}
double logarithm(const double* x, double y, const Node& node) {
  const float scale = get_or(node.attributes, "scale", 1.0f), shift = get_or(node.attributes, "shift", 0.0f);
  if (scale == 1 && shift == 0) return 5 * std::fabs(y);
  const double base = get_or(node.attributes, "base", -1.0f), argument = x[0] * scale + shift;
  const double factor = base > 0 ? 1 / std::fabs(std::log(base)) : 1;
  return 5 * std::fabs(y) + 2 * factor * (std::fabs(x[0] * scale) + std::fabs(shift)) / std::fabs(argument);
}
double turning(const double* x, double y, const Node&) { return 4 * std::fabs(y) + std::fabs(x[0]); }
double tangent(const double* x, double y, const Node&) { return 4 * std::fabs(y) + std::fabs(x[0]) * (1 + y * y); }
double arc(const double*, double y, const Node&) { return 4 * std::fabs(y) + 1.6; }
double arc_cosine_hyperbolic(const double* x, double y, const Node&) {
  return 4 * std::fabs(y) + 2 * std::fabs(x[0]) / std::sqrt(std::max(x[0] * x[0] - 1, 0x1p-24));
}
double log_gamma(const double* x, double y, const Node&) {
  return 8 * std::fabs(y) + 8 + std::fabs(x[0]) * std::fabs(std::log(std::fabs(x[0]) + 1));
}
double gelu(const double* x, double y, const Node&) { return 4 * std::fabs(y) + 4 * std::fabs(x[0]); }
double gated(const double* x, double y, const Node& node) {
  const double scale = node.type == "FastGelu" ? 1.702 : get_or(node.attributes, "scale", 1.0f);
  return (5 + 2 * std::fabs(scale * x[0])) * std::fabs(y);
}
// How far a line a x + b between 0 and 1 is off when its steps are rounded: nowhere where it is cut off for certain.
double cut_line(double a, double b, double x, double unit) {
  const auto within = [](double v) { return std::clamp(v, 0.0, 1.0); };
  const double line = a * x + b, off = unit * (2 * std::fabs(a * x) + std::fabs(b) + std::fabs(line));
  return std::max(within(line + off) - within(line), within(line) - within(line - off));
}
double hard_sigmoid(const double* x, double y, double unit, const Node& node) {
  const double alpha = get_or(node.attributes, "alpha", 0.16666666f), beta = get_or(node.attributes, "beta", 0.5f);
  return cut_line(alpha, beta, x[0], unit) + unit * std::fabs(y);
}
double hard_swish(const double* x, double y, double unit, const Node&) {
  const double gate = cut_line(1.0 / 6, 0.5, x[0], unit);
  return (gate > 0 ? std::fabs(x[0]) * gate : 0) + unit * 4 * std::fabs(y);
}
// Below 0 a factor times e^x - 1, above it a line.
double exponential_unit(const double* x, double y, const Node& node) {
  if (x[0] >= 0) return std::fabs(y);
  double factor = 1.76;  // Selu's
  if (node.type == "Elu") factor = get_or(node.attributes, "alpha", 1.0f) * get_or(node.attributes, "scale", 1.0f);
  if (node.type == "Celu") factor = get_or(node.attributes, "alpha1", 1.0f);
  if (node.type == "CeluV2") factor = get_or(node.attributes, "alpha", 1.0f);
  return 5 * std::fabs(y) + 2 * std::fabs(factor);
}
// x^p by way of exp(p log x).
double by_logarithm(double x, double p, double y) {
  const double argument = std::fabs(x) > 0 ? std::fabs(p * std::log(std::fabs(x))) : 0;
  return (4 + 3 * argument) * std::fabs(y);
}
double power(const double* x, double y, const Node&) { return by_logarithm(x[0], x[1], y); }
double scaled_power(const double* x, double y, const Node& node) {
  const double p = get_or(node.attributes, "power", 1.0f), scale = get_or(node.attributes, "scale", 1.0f);
  const double shift = get_or(node.attributes, "shift", 0.0f), base = x[0] * scale + shift;
  const double inside = (std::fabs(x[0] * scale) + std::fabs(base)) * std::fabs(p) * std::fabs(std::pow(base, p - 1));
  return inside + (p == 1 ? 0 : by_logarithm(base, p, y));
}
// A sum that begins with input `first`; the rest is a product of up to four numbers.
template <int first>
double sum_with(const double* x, double y, const Node&) {
  return 3 * std::fabs(y - x[first]);
}
double clipped_sum(const double*, double y, const Node&) { return std::fabs(y); }

double relu(const double* x) { return x[0] < 0 ? 0 : x[0]; }
double relu6(const double* x) { return x[0] < 0 ? 0 : x[0] > 6 ? 6 : x[0]; }
double sigmoid(const double* x) { return 1 / (1 + std::exp(-x[0])); }
double hyperbolic(const double* x) { return std::tanh(x[0]); }
double add(const double* x) { return x[0] + x[1]; }
double subtract(const double* x) { return x[0] - x[1]; }
double multiply(const double* x) { return x[0] * x[1]; }

constexpr double inf = std::numeric_limits<double>::infinity();

constexpr Function unary[] = {
    {"Abs", nullptr},
    {"Acos", arc},
    {"Acosh", arc_cosine_hyperbolic},
    {"Adds", none},
    {"Asin", times<6>},
    {"Asinh", around_one<4>},
    {"Atan", times<4>},
    {"Atanh", around_one<4>},
    {"Ceil", nullptr},
    {"Celu", exponential_unit},
    {"CeluV2", exponential_unit},
    {"Cos", turning, 1, nullptr, -1, 1},
    {"Cosh", times<4>},
    {"Elu", exponential_unit},
    {"Erf", times<4>, 0, nullptr, -1, 1},
    {"Erfc", around_one<4>, 0, nullptr, 0, 2},
    {"Exp", exponential, 0, nullptr, 0},
    {"Exp2", exponent, 0, nullptr, 0},
    {"Expm1", around_one<4>},
    {"FastGelu", gated, 1.2},
    {"Floor", nullptr},
    {"Gelu", gelu, 1.2},
    {"GeluV2", gelu, 1.2},
    {"HardShrink", nullptr},
    {"HardSigmoid", none, 0, nullptr, 0, 1, hard_sigmoid},
    {"HardSwish", none, 1.5, nullptr, -0.375, inf, hard_swish},
    {"HardtanhV2", nullptr},
    {"Inv", none},
    {"LeakyRelu", none},
    {"Lgamma", log_gamma},
    {"Log", logarithm},
    {"Log1p", around_one<4>},
    {"LogSigmoid", around_one<4>, 0, nullptr, -inf, 0},
    {"Mish", gelu, 1.2},
    {"Muls", none},
    {"Neg", nullptr},
    {"Power", scaled_power},
    {"Reciprocal", none},
    {"Relu", nullptr, 0, relu},
    {"Relu6", nullptr, 0, relu6},
    {"Rint", nullptr},
    {"Rsqrt", times<2>},
    {"Selu", exponential_unit},
    {"Shrink", clipped_sum},
    {"Sigmoid", times<4>, 0, sigmoid, 0, 1},
    {"Sign", nullptr},
    {"Sin", turning, 1, nullptr, -1, 1},
    {"Sinh", around_one<4>},
    {"SoftShrink", clipped_sum},
    {"Softplus", around_one<4>, 0, nullptr, 0},
    {"SoftplusV2", around_one<4>, 0, nullptr, 0},
    {"Softsign", times<3>, 0, nullptr, -1, 1},
    {"Sqrt", none},
    {"Square", none},
    {"Swish", gated, 1.2},
    {"Tan", tangent},
    {"Tanh", around_one<4>, 0, hyperbolic, -1, 1},
    {"Threshold", nullptr},
    {"ThresholdedRelu", nullptr},
    {"Trunc", nullptr},
};

constexpr Function others[] = {
    {"Add", none, 0, add},
    {"AddV2", none, 0, add},
    {"Addcdiv", sum_with<0>},
    {"Addcmul", sum_with<0>},
    {"Atan2", times<6>},
    {"AxpyV2", sum_with<0>},
    {"ClipByValue", nullptr},
    {"ClipByValueV2", nullptr},
    {"Div", none},
    {"DivNoNan", none},
    {"FusedMulAdd", sum_with<2>},
    {"FusedMulAddN", sum_with<1>},
    {"Lerp", sum_with<0>},
    {"Maximum", nullptr},
    {"Minimum", nullptr},
    {"Mul", none, 0, multiply},
    {"MulNoNan", none},
    {"PRelu", none},
    {"Pow", power},
    {"RealDiv", none},
    {"SquaredDifference", times<2>},
    {"Sub", none, 0, subtract},
    {"Xdivy", none},
    {"Xlogy", times<5>},
};

}  // namespace

std::span<const Function> unary_functions() { return unary; }
std::span<const Function> other_functions() { return others; }

const Function& function_of(std::string_view op) {
  const auto* found = std::ranges::find(unary, op, &Function::op);
  return found != std::end(unary) ? *found : *std::ranges::find(others, op, &Function::op);
}

}  // namespace belay::exact
