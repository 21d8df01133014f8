// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/kernel.h"

namespace belay::backend::cpu {

// What is a weighted sum along each of the last dimensions by itself, and its gradient: padding by what is there,
// adaptive and plain averages, bicubic resizing.
MadeKernel make_separable(const KernelRequest& request);
MadeKernel make_separable_grad(const KernelRequest& request);

}  // namespace belay::backend::cpu
