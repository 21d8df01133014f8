// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/status.h"

namespace belay::api {

// Whether the texts for aclGetRecentErrMsg are kept per thread (as at first) or for the whole process
// (aclInit's "err_msg_mode").
void set_error_scope(bool per_process);

// What aclrtPeekAtLastError answers on this thread. Set by report() for the codes of the runtime layer.
aclError last_error();
void set_last_error(aclError code);

// Whether errors of that code are remembered as the last error: those of the runtime layer, less 207000.
bool records(aclError code);

}  // namespace belay::api
