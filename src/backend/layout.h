// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/kernel.h"

namespace belay::backend {

// Copies a tensor into one of the same type and shape but another layout.
Status reorder(const Tensor& from, Tensor& to);

// A kernel that does it.
std::unique_ptr<Kernel> make_reorder();

// Whether a tensor of this shape is the same bytes in both layouts.
bool same_bytes(const Tensor& tensor, Layout layout);

}  // namespace belay::backend
