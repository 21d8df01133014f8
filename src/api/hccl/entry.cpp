// SPDX-License-Identifier: Apache-2.0
#include "api/hccl/entry.h"

namespace belay::api {

Status as_hccl(Status status) {
  if (status.code >= 0 && status.code < HCCL_E_RESERVED) return status;
  status.code = HCCL_E_RUNTIME;
  return status;
}

}  // namespace belay::api
