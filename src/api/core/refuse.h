// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "acl/acl_base.h"

namespace belay::api {

// Leaves the message that `function` is declared but not done; returns ACL_ERROR_RT_FEATURE_NOT_SUPPORT.
aclError refuse(const char* function) noexcept;

}  // namespace belay::api
