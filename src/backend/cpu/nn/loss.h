// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/kernel.h"

namespace belay::backend::cpu {

// The loss of classifying each position, from log probabilities (NLLLoss) or from scores (SoftmaxCrossEntropyLoss).
MadeKernel make_nll_loss(const KernelRequest& request);
MadeKernel make_softmax_cross_entropy(const KernelRequest& request);

}  // namespace belay::backend::cpu
