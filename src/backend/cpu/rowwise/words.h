// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/kernel.h"

namespace belay::backend::cpu {

// TransQuantParamV2 and V3: scales and offsets as words of 64 bits.
MadeKernel make_scale_words(const KernelRequest& request);
// ConvertWeightToINT4Pack: one number in each INT32 becomes four bits, in FRACTAL_NZ.
MadeKernel make_int4_pack(const KernelRequest& request);
// DequantBias: sums of whole numbers times the scales of columns and rows.
MadeKernel make_dequant_bias(const KernelRequest& request);

}  // namespace belay::backend::cpu
