// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "base/status.h"

namespace belay {

// What the runtime answers to a parameter that it cannot take.
inline Status bad_parameter(std::string why) { return {ACL_ERROR_RT_PARAM_INVALID, std::move(why)}; }

}  // namespace belay
