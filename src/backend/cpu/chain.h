// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backend/kernel.h"

namespace belay::backend::cpu {

enum class EltwiseKind { Relu, Clip, Sigmoid, Tanh, Elu, Swish, HardSwish, Mish, GeluTanh, GeluErf, Linear };

// An activation as steps on each element: most are one.
struct Eltwise {
  EltwiseKind kind;
  float alpha = 0, beta = 0;  // slope, limits, scale and offset: whatever the kind has
};
using Activation = std::vector<Eltwise>;

// Of a node of type Relu, HardSwish, ClipByValue...; `inputs` are the node's. Refuses what no kernel could do exactly.
Result<Activation> read_activation(const graph::Node& node, std::span<const graph::TensorInfo> inputs);

// What a node computes: the convolution or product itself, then the sum with a tensor of the result's shape, then the
// activation. A node without members is a head alone.
struct Chain {
  const graph::Node* head = nullptr;
  std::vector<int> ports;                // by the head's port: which of the node's inputs it is, -1 open
  std::vector<graph::TensorInfo> infos;  // the head's inputs
  int addend = -1;                       // which of the node's inputs is added
  Activation activation;
};
Result<Chain> read_chain(const KernelRequest& request);

}  // namespace belay::backend::cpu
