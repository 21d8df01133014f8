// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/kernel.h"

namespace belay::backend::cpu {

// Gradients of what looks at windows of an image: pooling, resizing, convolution; and of rows chosen from a table.
MadeKernel make_average_pool_grad(const KernelRequest& request);
MadeKernel make_indexed_pool_grad(const KernelRequest& request);
MadeKernel make_resize_grad(const KernelRequest& request);
MadeKernel make_convolution_grad(const KernelRequest& request);
MadeKernel make_embedding_grad(const KernelRequest& request);
MadeKernel make_group_norm_grad(const KernelRequest& request);

}  // namespace belay::backend::cpu
