// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "acl/acl.h"

inline std::string chip() { return aclrtGetSocName(); }
