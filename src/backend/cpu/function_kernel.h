// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include "backend/kernel.h"

namespace belay::backend::cpu {

using Inputs = std::span<const Tensor>;
using Outputs = std::span<Tensor>;

// A kernel that is one function of the tensors: Status(Inputs, Outputs), all of them Plain. What it needs to know it
// captured when it was made.
template <class Run>
class FunctionKernel : public Kernel {
 public:
  FunctionKernel(Run run, uint32_t in_place) : run_(std::move(run)), in_place_(in_place) {}
  Status run(Inputs inputs, Outputs outputs) override { return run_(inputs, outputs); }
  bool in_place(size_t o, size_t i) const override { return o == 0 && i < 32 && in_place_ >> i & 1; }

 private:
  Run run_;
  uint32_t in_place_;
};

// `in_place`: a bit for each input whose memory output 0 may take over.
template <class Run>
MadeKernel function_kernel(Run run, uint32_t in_place = 0) {
  return std::unique_ptr<Kernel>(std::make_unique<FunctionKernel<Run>>(std::move(run), in_place));
}

// The bits for the inputs that an element-wise output may take over: those of its shape and element size.
uint32_t same_places(const KernelRequest& request);

}  // namespace belay::backend::cpu
