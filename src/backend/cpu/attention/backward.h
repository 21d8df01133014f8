// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/kernel.h"

namespace belay::backend::cpu {

// The gradients of query, key and value: FlashAttentionScoreGrad and FlashAttentionUnpaddingScoreGrad.
MadeKernel make_attention_grad(const KernelRequest& request);

}  // namespace belay::backend::cpu
