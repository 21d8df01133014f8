// SPDX-License-Identifier: Apache-2.0
// Operators that compute each element by itself.
#include <algorithm>
#include <cmath>
#include <limits>

#include "exact/models/broadcast.h"
#include "exact/models/model.h"
#include "graph/model/attribute.h"

namespace belay::exact {
namespace {

using graph::get_or;
using graph::Node;

// What the steps inside of a function may add to an error, in units of the result's type, before the result is rounded.
using Steps = double (*)(const double* x, double y, const Node& node);

struct Function {
  std::string_view op;
  // Null: nothing is computed, an element is only chosen or its sign changed, and nothing rounded.
  Steps steps;
  // Not 0: the function turns between the ends of an interval, and changes by at most so much per change of x.
  double steepness = 0;
  // Not null: the function itself, for the ends of intervals without a kernel.
  double (*direct)(const double* x) = nullptr;
};

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
double hard_swish(const double* x, double y, const Node&) { return 4 * std::fabs(y) + std::fabs(x[0]); }
double hard_sigmoid(const double* x, double y, const Node& node) {
  return std::fabs(get_or(node.attributes, "alpha", 0.16666666f) * x[0]) +
         std::fabs(get_or(node.attributes, "beta", 0.5f)) + std::fabs(y);
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

constexpr Function unary_functions[] = {
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
    {"Cos", turning, 1},
    {"Cosh", times<4>},
    {"Elu", exponential_unit},
    {"Erf", times<4>},
    {"Erfc", around_one<4>},
    {"Exp", exponential},
    {"Exp2", exponent},
    {"Expm1", around_one<4>},
    {"FastGelu", gated, 1.2},
    {"Floor", nullptr},
    {"Gelu", gelu, 1.2},
    {"GeluV2", gelu, 1.2},
    {"HardShrink", nullptr},
    {"HardSigmoid", hard_sigmoid},
    {"HardSwish", hard_swish, 1.5},
    {"HardtanhV2", nullptr},
    {"Inv", none},
    {"LeakyRelu", none},
    {"Lgamma", log_gamma},
    {"Log", logarithm},
    {"Log1p", around_one<4>},
    {"LogSigmoid", around_one<4>},
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
    {"Sigmoid", times<4>, 0, sigmoid},
    {"Sign", nullptr},
    {"Sin", turning, 1},
    {"Sinh", around_one<4>},
    {"SoftShrink", clipped_sum},
    {"Softplus", around_one<4>},
    {"SoftplusV2", around_one<4>},
    {"Softsign", times<3>},
    {"Sqrt", none},
    {"Square", none},
    {"Swish", gated, 1.2},
    {"Tan", tangent},
    {"Tanh", around_one<4>, 0, hyperbolic},
    {"Threshold", nullptr},
    {"ThresholdedRelu", nullptr},
    {"Trunc", nullptr},
};

constexpr Function other_functions[] = {
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

const Function& function_of(std::string_view op) {
  for (const Function& function : unary_functions)
    if (function.op == op) return function;
  return *std::ranges::find(other_functions, op, &Function::op);
}

// How far the output moves when each input goes to either end of its interval.
Result<std::vector<double>> at_corners(const Operation& operation, const Value& y) {
  std::vector<size_t> moving;
  for (size_t i = 0; i < operation.inputs.size(); ++i)
    if (operation.inputs[i].errors) moving.push_back(i);
  std::vector<double> spread(static_cast<size_t>(y.count()));
  const auto middle = y.doubles();
  for (size_t corner = 0; corner < size_t{1} << moving.size(); ++corner) {
    std::vector<Value> values = operation.values();
    for (size_t m = 0; m < moving.size(); ++m) {
      const auto center = values[moving[m]].doubles();
      const auto& errors = *operation.inputs[moving[m]].errors;
      std::vector<double> moved(center.size());
      for (size_t i = 0; i < moved.size(); ++i) moved[i] = center[i] + (corner >> m & 1 ? errors[i] : -errors[i]);
      values[moving[m]] = make_value(values[moving[m]].shape, moved);
    }
    const auto made = TRY(operation.again(values));
    const auto ends = made[0].doubles();
    for (size_t i = 0; i < spread.size(); ++i) spread[i] = std::max(spread[i], error_between(ends[i], middle[i]));
  }
  return spread;
}

// The same for a function that is known here.
std::vector<double> at_ends(const Operation& operation, const Function& function, const Broadcast& places,
                            const Value& y) {
  std::vector<double> spread(static_cast<size_t>(y.count()));
  const auto middle = y.doubles();
  const size_t inputs = std::min(operation.inputs.size(), Broadcast::most);
  parallel_for(static_cast<int64_t>(spread.size()), 1 << 12, [&](int64_t begin, int64_t end) {
    places.visit(begin, end, [&](int64_t i, const int64_t* at) {
      const auto e = static_cast<size_t>(i);
      double x[Broadcast::most], error[Broadcast::most] = {};
      places.load(at, x);
      for (size_t k = 0; k < inputs; ++k) error[k] = error_at(operation.inputs[k], at[k]);
      for (size_t corner = 0; corner < size_t{1} << inputs; ++corner) {
        double moved[Broadcast::most];
        for (size_t k = 0; k < inputs; ++k) moved[k] = x[k] + (corner >> k & 1 ? error[k] : -error[k]);
        spread[e] = std::max(spread[e], error_between(function.direct(moved), middle[e]));
      }
    });
  });
  return spread;
}

// A divisor whose interval has zero in it.
bool divides(std::string_view op) {
  return op == "Div" || op == "RealDiv" || op == "DivNoNan" || op == "Xdivy" || op == "Inv" || op == "Reciprocal" ||
         op == "Addcdiv";
}
void open_at_zero(const Operation& operation, const Broadcast& places, std::vector<double>& spread) {
  const size_t divisor = operation.node.type == "Addcdiv" ? 2 : operation.inputs.size() > 1 ? 1 : 0;
  const Tracked& input = operation.inputs[divisor];
  if (!input.errors) return;
  const auto x = input.value.doubles();
  places.visit(0, static_cast<int64_t>(spread.size()), [&](int64_t i, const int64_t* at) {
    if (std::fabs(x[static_cast<size_t>(at[divisor])]) <= error_at(input, at[divisor]))
      spread[static_cast<size_t>(i)] = std::numeric_limits<double>::infinity();
  });
}

Result<std::vector<double>> inherited(const Operation& operation, const Function& function, const Broadcast& places,
                                      const Value& y) {
  if (!operation.inexact()) return std::vector<double>();
  if (function.steepness > 0) {
    std::vector<double> spread = *operation.inputs[0].errors;
    for (double& error : spread) error *= function.steepness;
    return spread;
  }
  if (function.direct) return at_ends(operation, function, places, y);
  std::vector<double> spread = TRY(at_corners(operation, y));
  if (divides(operation.node.type)) open_at_zero(operation, places, spread);
  return spread;
}

Status each(const Operation& operation, std::span<Tracked> outputs) {
  Tracked& y = outputs[0];
  if (!y.value.real()) return {};
  const Function& function = function_of(operation.node.type);
  const Broadcast places(operation, y.value.shape);
  const auto spread = TRY(inherited(operation, function, places, y.value));
  if (!function.steps) {
    if (!spread.empty()) y.errors = std::make_shared<const std::vector<double>>(spread);
    return {};
  }
  const auto values = y.value.doubles();
  auto errors = std::make_shared<std::vector<double>>(values.size());
  const Rounding& rounding = rounding_of(y.stored);
  parallel_for(static_cast<int64_t>(values.size()), 1 << 12, [&](int64_t begin, int64_t end) {
    places.visit(begin, end, [&](int64_t i, const int64_t* at) {
      double x[Broadcast::most];
      places.load(at, x);
      const auto e = static_cast<size_t>(i);
      const double before = rounding.unit * function.steps(x, values[e], operation.node);
      (*errors)[e] = with_rounding(rounding, values[e], before + (spread.empty() ? 0 : spread[e]));
    });
  });
  y.errors = std::move(errors);
  return {};
}

}  // namespace

std::span<const ErrorModelRow> elementwise_models() {
  static const auto* rows = [] {
    auto* made = new std::vector<ErrorModelRow>;
    for (const Function& function : unary_functions) made->push_back({function.op, each});
    for (const Function& function : other_functions) made->push_back({function.op, each});
    return made;
  }();
  return *rows;
}

}  // namespace belay::exact
