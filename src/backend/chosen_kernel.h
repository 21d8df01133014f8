// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/kernel.h"

namespace belay::backend {

// make_kernel that also tells which row was taken: its `how`, which lives for ever.
MadeKernel make_kernel(const KernelRequest& request, std::string_view only, std::string_view& how);

}  // namespace belay::backend
