// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <numbers>

// Activation functions of one number, float or double.
namespace belay::backend::cpu {

// Within [low, high]; a NaN stays.
template <class X>
X limited(X x, X low, X high) {
  return x < low ? low : x > high ? high : x;
}

template <class X>
X sigmoid(X x) {
  return 1 / (1 + std::exp(-x));
}

// log(1 + exp(x)), without overflow.
template <class X>
X softplus(X x) {
  return std::log1p(std::exp(-std::fabs(x))) + (x < 0 ? X(0) : x);
}

// x times the normal distribution's integral up to x.
template <class X>
X gelu(X x) {
  return X(0.5) * x * (1 + std::erf(x * X(1 / std::numbers::sqrt2)));
}

template <class X>
X tanh_gelu(X x) {
  constexpr double factor = 0.79788456080286535588;  // sqrt(2 / pi)
  return X(0.5) * x * (1 + std::tanh(X(factor) * (x + X(0.044715) * x * x * x)));
}

}  // namespace belay::backend::cpu
