// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "graph/model/graph.h"

namespace belay::backend::cpu {

// An activation of a recurrent layer, with its parameters.
struct GateFunction {
  enum class Kind {
    Relu,
    Tanh,
    Sigmoid,
    Affine,
    LeakyRelu,
    ThresholdedRelu,
    ScaledTanh,
    HardSigmoid,
    Elu,
    Softsign,
    Softplus
  };
  Kind kind = Kind::Sigmoid;
  float alpha = 0, beta = 0;

  // x[i] = f(x[i]) for n elements.
  void apply(float* x, int64_t n) const;
  void apply(double* x, int64_t n) const;
};

// The activations of all directions, direction by direction: those that the node names (with the values of
// activation_alpha and activation_beta, in order, for those that take them), else the defaults.
Result<std::vector<GateFunction>> gate_functions(const graph::Node& node, std::span<const GateFunction::Kind> defaults,
                                                 size_t directions);

}  // namespace belay::backend::cpu
