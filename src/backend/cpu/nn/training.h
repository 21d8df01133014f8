// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/kernel.h"

namespace belay::backend::cpu {

// BNTrainingReduce, BNTrainingUpdate, BinaryCrossEntropy.
MadeKernel make_batch_sums(const KernelRequest& request);
MadeKernel make_batch_update(const KernelRequest& request);
MadeKernel make_cross_entropy(const KernelRequest& request);

}  // namespace belay::backend::cpu
