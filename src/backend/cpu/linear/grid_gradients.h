// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/kernel.h"

namespace belay::backend::cpu {

// GridSampler2DBackward and GridSampler3DBackward.
MadeKernel make_grid_sample_grad(const KernelRequest& request);

}  // namespace belay::backend::cpu
