// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backend/kernel.h"

namespace belay::backend::cpu::onednn {

// The reference kernel of a node, made when it is first needed: for inputs with a NaN, which oneDNN would lose. Tensors
// may have any layout; it allocates.
class ReferenceFallback {
 public:
  // The request's node must outlive this.
  explicit ReferenceFallback(const KernelRequest& request);
  Status run(std::span<const Tensor> inputs, std::span<Tensor> outputs);

 private:
  const graph::Node& node_;
  std::vector<graph::TensorInfo> inputs_, outputs_;
  std::unique_ptr<Kernel> kernel_;
};

}  // namespace belay::backend::cpu::onednn
