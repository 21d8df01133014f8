// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "backend/cpu/onednn/engine.h"

namespace belay::backend::cpu::onednn {

// Weights in the order that a primitive wants. Kernels that want the same bytes in the same order share them: programs
// of one model for several input shapes pack once.
using PackedWeights = std::shared_ptr<const void>;

// The bytes of a constant from `offset` on, with their owner.
inline PackedWeights bytes_of(const graph::Constant& constant, size_t offset = 0) {
  return {constant.owner, constant.bytes.data() + offset};
}

// When nothing needs to move, the data itself is taken: without an owner it must outlive the weights.
Result<PackedWeights> pack(const Desc& given, PackedWeights data, const Desc& wanted);
// In memory of their own in any case.
Result<PackedWeights> pack_copy(const Desc& given, const void* data, const Desc& wanted);

// Weights in a form of the caller's: `form` and the bytes given tell it from others. `fill` writes them.
Result<PackedWeights> pack_as(const std::string& form, const void* data, size_t given, size_t wanted,
                              const std::function<Status(void*)>& fill);

// Memory for weights that are packed at each run.
Result<std::shared_ptr<void>> allocate_packed(size_t bytes);

}  // namespace belay::backend::cpu::onednn
