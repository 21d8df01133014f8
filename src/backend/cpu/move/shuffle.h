// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/kernel.h"

namespace belay::backend::cpu {

// ShuffleChannel: with the channels in `group` groups, the first of each group, then the second of each, and so on; in
// the layout that x has.
MadeKernel make_channel_shuffle(const KernelRequest& request);

}  // namespace belay::backend::cpu
