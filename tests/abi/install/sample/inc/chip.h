// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "acl/acl.h"

inline std::string chip() {
  const char* name = aclrtGetSocName();
  return name ? name : "refused";
}
