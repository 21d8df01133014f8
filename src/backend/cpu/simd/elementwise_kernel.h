// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/cpu/simd/combine_floats.h"
#include "backend/cpu/simd/layout_plan.h"
#include "backend/cpu/simd/map_floats.h"
#include "backend/kernel.h"

namespace belay::backend::cpu {

// y = f(input 0) for Float, Float16 and BFloat16, in whatever layout the input has. Further inputs are not read.
MadeKernel map_kernel(const KernelRequest& request, Map f, const MapParameters& parameters = {});

// z = f(input 0, factor * input 1) with broadcasting, for the same types; the product is rounded to float. The operands
// stay in their layouts where they can.
MadeKernel combine_kernel(const KernelRequest& request, Combine f, float factor = 1);

}  // namespace belay::backend::cpu
