// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/kernel.h"

namespace belay::backend::cpu {

// KvRmsNormRopeCache: one part of each row normed, the other turned, both written into their caches.
MadeKernel make_latent_cache(const KernelRequest& request);

}  // namespace belay::backend::cpu
