// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/status.h"
#include "runtime/stream/stream.h"

namespace belay::api {

// A call that runs on its own thread failed: when it was an operator's doing, the exception callbacks hear of it.
void raise_operator_failure(const Stream& stream, const Status& status);

}  // namespace belay::api
