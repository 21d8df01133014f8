// SPDX-License-Identifier: Apache-2.0
#include "executor/overflow_guard.h"

#include <algorithm>

#include "backend/finite.h"

namespace belay::executor {
namespace {

using backend::is_finite;

bool share_memory(std::span<const Tensor> inputs, std::span<const Tensor> outputs) {
  return std::ranges::any_of(outputs, [&](const Tensor& output) {
    return output.data && std::ranges::find(inputs, output.data, &Tensor::data) != inputs.end();
  });
}

}  // namespace

void OverflowGuard::before(std::span<const Tensor> inputs, std::span<const Tensor> outputs) {
  inputs_gone_ = !saturates_ && share_memory(inputs, outputs);  // by the time the outputs are looked at
  if (inputs_gone_) inputs_finite_ = std::ranges::all_of(inputs, is_finite);
}

void OverflowGuard::after(const backend::Kernel& kernel, std::span<const Tensor> inputs,
                          std::span<const Tensor> outputs) {
  bool clipped = false;
  for (size_t o = 0; o < outputs.size(); ++o) {
    if (kernel.alias_of(o) >= 0) continue;  // the memory of an input, perhaps the program's
    if (saturates_)
      clipped |= backend::saturate(outputs[o]);
    else if (!overflowed_ && !is_finite(outputs[o]))
      overflowed_ = inputs_gone_ ? inputs_finite_ : std::ranges::all_of(inputs, is_finite);
  }
  clipped_ += clipped;
  overflowed_ |= clipped;
}

}  // namespace belay::executor
