// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/kernel.h"

namespace belay::backend::cpu {

// DeformableOffsets, DeformableConv2D.
MadeKernel make_deformable_offsets(const KernelRequest& request);
MadeKernel make_deformable_convolution(const KernelRequest& request);

}  // namespace belay::backend::cpu
