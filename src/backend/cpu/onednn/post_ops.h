// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/cpu/chain.h"
#include "backend/cpu/onednn/engine.h"

namespace belay::backend::cpu::onednn {

// The post-operations of a chain; the addend is what the result's memory holds before.
dnnl::post_ops post_ops_of(const Chain& chain, bool with_activation);

}  // namespace belay::backend::cpu::onednn
