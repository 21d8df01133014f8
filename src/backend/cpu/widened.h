// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/kernel.h"

namespace belay::backend::cpu {

// A kernel for a node with tensors of half floats: the fast kernel that the node would have if they were floats. Inputs
// are widened before it and outputs rounded after it, each once; constants are widened when it is made. Layouts are the
// fast kernel's. Refuses where only a reference kernel would do it: that one knows half floats itself.
MadeKernel make_widened(const KernelRequest& request);

// The same with the reference kernel of float, which need not convert one number after the other.
MadeKernel make_widened_reference(const KernelRequest& request);

}  // namespace belay::backend::cpu
