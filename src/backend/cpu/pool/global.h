// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/kernel.h"

namespace belay::backend::cpu {

// The mean or the largest of all places of each channel; channels are dimension 1.
MadeKernel make_global_pool(const KernelRequest& request, bool average);

}  // namespace belay::backend::cpu
