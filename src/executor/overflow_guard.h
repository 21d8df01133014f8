// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "backend/kernel.h"

namespace belay::executor {

using backend::Tensor;

// What becomes of results that do not fit their type while a graph runs, and whether there were any. In saturation mode
// every node's outputs are clipped right after it ran, and what was clipped is an overflow. In INF/NaN mode a node
// overflows whose outputs are not all finite while its inputs are. Views are left as they are. Used by one thread at a
// time.
class OverflowGuard {
 public:
  explicit OverflowGuard(bool saturates) : saturates_(saturates) {}

  // Around each run of a kernel.
  void before(std::span<const Tensor> inputs, std::span<const Tensor> outputs);
  void after(const backend::Kernel& kernel, std::span<const Tensor> inputs, std::span<const Tensor> outputs);

  bool overflowed() const { return overflowed_; }
  // How many kernels had results that were clipped.
  uint64_t clipped() const { return clipped_; }

 private:
  const bool saturates_;
  bool inputs_gone_ = false, inputs_finite_ = true;  // of the kernel that runs
  bool overflowed_ = false;
  uint64_t clipped_ = 0;
};

}  // namespace belay::executor
