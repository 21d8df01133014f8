// SPDX-License-Identifier: Apache-2.0
#include "api/core/refuse.h"

#include "api/core/entry.h"

namespace belay::api {

aclError refuse(const char* function) noexcept {
  return entry(function, [&]() -> Status {
    return {ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
            std::string(function) + " is not supported by Belay; docs/supported.md lists the functions that are",
            "EH0011"};
  });
}

}  // namespace belay::api
