// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/kernel.h"

namespace belay::backend::cpu {

// LightningIndexer and SparseFlashAttention.
MadeKernel make_indexer(const KernelRequest& request);
MadeKernel make_sparse_attention(const KernelRequest& request);

}  // namespace belay::backend::cpu
