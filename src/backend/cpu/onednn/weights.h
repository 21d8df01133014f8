// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/cpu/onednn/engine.h"
#include "backend/cpu/packed_weights.h"

namespace belay::backend::cpu::onednn {

// The bytes of a constant from `offset` on, with their owner.
inline PackedWeights bytes_of(const graph::Constant& constant, size_t offset = 0) {
  return {constant.owner, constant.bytes.data() + offset};
}

// When nothing needs to move, the data itself is taken: without an owner it must outlive the weights.
Result<PackedWeights> pack(const Desc& given, PackedWeights data, const Desc& wanted);
// In memory of their own in any case.
Result<PackedWeights> pack_copy(const Desc& given, const void* data, const Desc& wanted);

}  // namespace belay::backend::cpu::onednn
