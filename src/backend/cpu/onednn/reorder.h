// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/kernel.h"

namespace belay::backend::cpu {

// A kernel that copies its input into an output of another layout.
std::unique_ptr<Kernel> make_reorder(const Tensor& from, Layout to);

// Whether a tensor of this shape is the same bytes in both layouts.
bool same_bytes(const Tensor& tensor, Layout layout);

}  // namespace belay::backend::cpu
