// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/aclnn/objects.h"

namespace belay::api {

// The elements of a view, one after the other.
void gather_view(const TensorView& view, std::byte* to);
// The reverse.
void scatter_view(const std::byte* from, const TensorView& view);

}  // namespace belay::api
