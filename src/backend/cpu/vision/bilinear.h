// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/kernel.h"

namespace belay::backend::cpu {

// GridSampler2D of floats, bilinear.
MadeKernel make_bilinear_sampler(const KernelRequest& request);

}  // namespace belay::backend::cpu
