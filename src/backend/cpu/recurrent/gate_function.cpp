// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/recurrent/gate_function.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "backend/kernel.h"
#include "base/text.h"

namespace belay::backend::cpu {
namespace {

using Kind = GateFunction::Kind;

struct Known {
  std::string_view name;  // in lower case
  Kind kind;
  bool takes_alpha, takes_beta;
  float alpha, beta;  // when none is given
};
constexpr Known known[] = {
    {"relu", Kind::Relu, false, false, 0, 0},
    {"tanh", Kind::Tanh, false, false, 0, 0},
    {"sigmoid", Kind::Sigmoid, false, false, 0, 0},
    {"affine", Kind::Affine, true, true, 1, 0},
    {"leakyrelu", Kind::LeakyRelu, true, false, 0.01f, 0},
    {"thresholdedrelu", Kind::ThresholdedRelu, true, false, 1, 0},
    {"scaledtanh", Kind::ScaledTanh, true, true, 1, 1},
    {"hardsigmoid", Kind::HardSigmoid, true, true, 0.2f, 0.5f},
    {"elu", Kind::Elu, true, false, 1, 0},
    {"softsign", Kind::Softsign, false, false, 0, 0},
    {"softplus", Kind::Softplus, false, false, 0, 0},
};

const Known* find(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(), [](char c) { return char(std::tolower(c)); });
  for (const Known& one : known)
    if (one.name == name) return &one;
  return nullptr;
}

// exp for arguments of at most 0, in steps that the compiler can put side by side: 2^i * p(f).
float exp_below_zero(float x) {
  const float scaled = std::max(x, -87.0f) * 1.44269504f;
  const float whole = std::nearbyint(scaled), part = (scaled - whole) * 0.69314718f;
  const float power =
      1 +
      part * (1 + part * (0.5f + part * (0.16666667f + part * (0.041666664f + part * (0.0083333f + part * 0.00138f)))));
  const auto bits = uint32_t(int32_t(whole) + 127) << 23;
  float two;
  __builtin_memcpy(&two, &bits, sizeof two);
  return power * two;
}

float sigmoid(float x) {
  const float e = exp_below_zero(-std::fabs(x));
  return (x < 0 ? e : 1.0f) / (1.0f + e);
}
double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

template <class C, class F>
void each(C* x, int64_t n, F f) {
  for (int64_t i = 0; i < n; ++i) x[i] = f(x[i]);
}

template <class C>
void apply_to(const GateFunction& g, C* x, int64_t n) {
  const C a = g.alpha, b = g.beta;
  switch (g.kind) {
    case Kind::Relu:
      return each(x, n, [](C v) { return v > 0 ? v : v == v ? C(0) : v; });
    case Kind::Tanh:
      return each(x, n, [](C v) { return std::tanh(v); });
    case Kind::Sigmoid:
      return each(x, n, [](C v) { return sigmoid(v); });
    case Kind::Affine:
      return each(x, n, [=](C v) { return a * v + b; });
    case Kind::LeakyRelu:
      return each(x, n, [=](C v) { return v >= 0 ? v : a * v; });
    case Kind::ThresholdedRelu:
      return each(x, n, [=](C v) { return v >= a ? v : C(0); });
    case Kind::ScaledTanh:
      return each(x, n, [=](C v) { return a * std::tanh(b * v); });
    case Kind::HardSigmoid:
      return each(x, n, [=](C v) { return std::min(std::max(a * v + b, C(0)), C(1)); });
    case Kind::Elu:
      return each(x, n, [=](C v) { return v >= 0 ? v : a * std::expm1(v); });
    case Kind::Softsign:
      return each(x, n, [](C v) { return v / (1 + std::abs(v)); });
    case Kind::Softplus:
      return each(x, n, [](C v) { return std::max(v, C(0)) + std::log1p(std::exp(-std::abs(v))); });
  }
}

}  // namespace

void GateFunction::apply(float* x, int64_t n) const { apply_to(*this, x, n); }
void GateFunction::apply(double* x, int64_t n) const { apply_to(*this, x, n); }

Result<std::vector<GateFunction>> gate_functions(const graph::Node& node, std::span<const Kind> defaults,
                                                 size_t directions) {
  const auto names = graph::get_or<std::vector<std::string>>(node.attributes, "activations", {});
  const auto alphas = graph::get_or<std::vector<float>>(node.attributes, "activation_alpha", {});
  const auto betas = graph::get_or<std::vector<float>>(node.attributes, "activation_beta", {});
  std::vector<GateFunction> functions;
  if (names.empty())
    for (size_t d = 0; d < directions; ++d)
      for (const Kind kind : defaults) functions.push_back({kind});
  size_t alpha = 0, beta = 0;
  for (const std::string& name : names) {
    const Known* one = find(name);
    if (!one) return refuse(formatted("activation {} is not known", name));
    GateFunction function{one->kind, one->alpha, one->beta};
    if (one->takes_alpha && alpha < alphas.size()) function.alpha = alphas[alpha++];
    if (one->takes_beta && beta < betas.size()) function.beta = betas[beta++];
    functions.push_back(function);
  }
  if (functions.size() != defaults.size() * directions)
    return refuse(formatted("{} activations are named, {} are needed", functions.size(), defaults.size() * directions));
  return functions;
}

}  // namespace belay::backend::cpu
