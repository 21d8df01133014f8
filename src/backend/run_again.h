// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/status.h"

namespace belay::backend {

// What a kernel returns that found, too late, that it must keep its inputs: it will, from now on. They are gone; the
// graph must run again from its beginning.
inline constexpr aclError kRunAgain = -1;
inline Status run_again() { return {kRunAgain, "the kernel must be run again with its inputs"}; }

}  // namespace belay::backend
