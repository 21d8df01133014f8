// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "backend/cpu/onednn/engine.h"

namespace belay::backend::cpu::onednn {

// An activation as oneDNN's post-operations: most are one.
struct Eltwise {
  dnnl::algorithm algorithm;
  float alpha = 0, beta = 0;
};
using Activation = std::vector<Eltwise>;

// Of a node of type Relu, HardSwish, ClipByValue...; `inputs` are the node's. Refuses what oneDNN cannot do exactly.
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

// The post-operations of a chain; the addend is what the result's memory holds before.
dnnl::post_ops post_ops_of(const Chain& chain, bool with_activation);

}  // namespace belay::backend::cpu::onednn
