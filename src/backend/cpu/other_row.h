// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "backend/kernel.h"

namespace belay::backend::cpu {

// The kernel that another row has for a node, made when it is first needed: for inputs, NaN among them, that a fast
// kernel would not treat as they deserve. Tensors may have any layout; it allocates.
class OtherRow {
 public:
  // The request's node must outlive this. `how` as in KernelRow.
  OtherRow(const KernelRequest& request, std::string_view how);
  Status run(std::span<const Tensor> inputs, std::span<Tensor> outputs);

 private:
  Status make(std::span<const Tensor> inputs);

  const graph::Node& node_;
  const std::string_view how_;
  const int threads_;
  std::vector<graph::TensorInfo> inputs_, outputs_;
  std::vector<graph::Constant> constants_;  // what inputs_ refer to
  std::unique_ptr<Kernel> kernel_;
};

}  // namespace belay::backend::cpu
