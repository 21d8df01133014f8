// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/kernel.h"

namespace belay::backend::cpu {

// MaskedScatter, StridedSliceAssign(D), TileWithAxis.
MadeKernel make_masked_scatter(const KernelRequest& request);
MadeKernel make_slice_assign(const KernelRequest& request);
MadeKernel make_tile_axis(const KernelRequest& request);

}  // namespace belay::backend::cpu
